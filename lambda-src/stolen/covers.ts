/** The runner itself adds these, so nobody lists them: https://docs.github.com/en/actions/reference/runners/self-hosted-runners */
const IMPLIED = new Set(['self-hosted', 'linux', 'windows', 'macos', 'x64', 'x86', 'arm', 'arm64']);

/** Whether a runner with these labels is handed a job that asks for those; GitHub compares without case. */
export function covers(labels: readonly string[], needs: readonly string[]): boolean {
  const present = new Set(labels.map((label) => label.toLowerCase()));
  return needs.map((need) => need.toLowerCase()).every((need) => IMPLIED.has(need) || present.has(need));
}

/** Runs of each property on one parser: enough to be a check on every change, and a hunt in CI. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? (process.env.CI ? 100_000 : 2_000));

/** Histories are worth more than inputs, and cost more. */
export const HISTORY_RUNS = Math.ceil(FUZZ_RUNS / 10);

export const FUZZ_TIMEOUT_MS = 10 * 60_000;

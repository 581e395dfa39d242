import { isId, isRepository, isStrings, jsonObject } from './identifiers';

/** The job that an execution was started for. */
export interface OwnJob {
  readonly id: number;
  /** `owner/name`, when the input names it */
  readonly repository: string | undefined;
  /** the labels the job asks for; undefined: unknown */
  readonly needs: readonly string[] | undefined;
  /** the labels the runner has; undefined: unknown */
  readonly labels: readonly string[] | undefined;
}

/**
 * Reads the input of an execution, in the form of cdk-github-runners: `jobId` is a number, `jobLabels` and `labels` are texts with
 * commas (or arrays). Undefined when the runner was started for nobody: no job id, or one that is not a positive
 * integer (warm pools use -1). Where `jobLabels` is missing, `labels` are those of the job.
 */
export function parseExecutionInput(input: string): OwnJob | undefined {
  const value = jsonObject(input);
  if (!value || !isId(value.jobId)) return undefined;
  const labels = labelsOf(value.labels);
  const jobLabels = labelsOf(value.jobLabels);
  return {
    id: value.jobId,
    repository: repositoryOf(value.owner, value.repo),
    // cdk-github-runners did not always tell the two apart, and a runner has all labels of its provider, not just those its job asks for
    needs: jobLabels ?? labels,
    labels: jobLabels && labels,
  };
}

function repositoryOf(owner: unknown, repo: unknown): string | undefined {
  if (typeof owner !== 'string' || typeof repo !== 'string') return undefined;
  const repository = `${owner}/${repo}`;
  return isRepository(repository) ? repository : undefined;
}

function labelsOf(value: unknown): readonly string[] | undefined {
  const labels = typeof value === 'string' ? value.split(',') : isStrings(value) ? value : [];
  const named = labels.map((label) => label.trim()).filter((label) => label !== '');
  return named.length > 0 ? named : undefined;
}

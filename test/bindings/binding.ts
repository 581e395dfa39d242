import type { Cdk, ScratchPackage } from './scratch-package';

/** A language that examples are synthesised in. */
export interface Binding {
  readonly language: string;
  /** the version of aws-cdk-lib that its packages bring, and its templates are compared for */
  readonly cdk: Cdk;
  /** why it cannot run on this machine */
  unavailable(): Promise<string | undefined>;
  /** makes and installs the package */
  install(scratch: ScratchPackage): Promise<void>;
  /** runs the example's app, which synthesises into `outdir` */
  synthesise(example: string, outdir: string): Promise<void>;
}

/** Runtimes of jsii unpack the packages into a cache, by default one that outlives this run. */
export function runtimeEnvironment(workplace: string, outdir: string): Record<string, string> {
  return { CDK_OUTDIR: outdir, JSII_RUNTIME_PACKAGE_CACHE_ROOT: workplace };
}

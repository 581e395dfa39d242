/** Ends a run with one line that any CI can read, whatever else the run has printed. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites }) {
    // a suite that could not be loaded has no tests to count, and is a failure all the same
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.stdout.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped\n`);
  }
};

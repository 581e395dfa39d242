import type { Ledger } from '../../../lambda-src/stolen/ports';

export interface LedgerUnderTest {
  readonly ledger: Ledger;
  /** moves the clock by so many hours */
  passHours(hours: number): void;
}

/** What every ledger keeps, the real one and the one that tests stand on. */
export function keepsTheLedgerContract(make: () => LedgerUnderTest): void {
  test('a job that nobody recorded is not there', async () => {
    expect(await make().ledger.job(1)).toBeUndefined();
  });

  test('all runners of a job, and all labels they have, come together, in any order and as often as they are recorded', async () => {
    const { ledger } = make();
    await Promise.all([
      ledger.recordRunner({ jobId: 1, runnerName: 'R1', labels: ['a', 'b', 'a'] }),
      ledger.recordRunner({ jobId: 1, runnerName: 'R1-r1', labels: ['b', 'c'] }),
      ledger.recordRunner({ jobId: 1, runnerName: 'R1', labels: ['a', 'b'] }),
      ledger.recordRunner({ jobId: 2, runnerName: 'R2', labels: undefined }),
    ]);

    const job = (await ledger.job(1))!;
    expect({ ...job, runners: [...job.runners].sort(), labels: [...job.labels!].sort() }).toEqual({ id: 1, runners: ['R1', 'R1-r1'], labels: ['a', 'b', 'c'] });
    expect(await ledger.job(2)).toEqual({ id: 2, runners: ['R2'], labels: undefined });
  });

  test('labels that were not known at first can be added', async () => {
    const { ledger } = make();
    await ledger.recordRunner({ jobId: 1, runnerName: 'R1', labels: [] });
    await ledger.recordRunner({ jobId: 1, runnerName: 'R1', labels: ['a'] });

    expect(await ledger.job(1)).toEqual({ id: 1, runners: ['R1'], labels: ['a'] });
  });

  test('the first pick-up of a runner stays', async () => {
    const { ledger } = make();
    const first = { runnerName: 'R1', jobId: 9_007_199_254_740_991, repository: 'acme/app', runId: 7 };
    expect(await ledger.pickUp('R1')).toBeUndefined();
    expect(await ledger.recordPickUp(first)).toBe(true);
    expect(await ledger.recordPickUp({ ...first, jobId: 5 })).toBe(false);

    expect(await ledger.pickUp('R1')).toEqual({ ...first, isConcluded: false });
  });

  test('a pick-up of which only the repository is known is one', async () => {
    const { ledger } = make();
    await ledger.recordPickUp({ runnerName: 'R1', jobId: undefined, repository: 'other/tools', runId: undefined });

    expect(await ledger.pickUp('R1')).toEqual({ runnerName: 'R1', jobId: undefined, repository: 'other/tools', runId: undefined, isConcluded: false });
  });

  test('the cap of an hour holds when many ask at once, and a name counts once', async () => {
    const { ledger } = make();
    const names = Array.from({ length: 12 }, (_, index) => `R${index}`);
    const granted = await Promise.all(names.map((name) => ledger.claimReplacement(name, 5)));
    const lucky = names.filter((_, index) => granted[index]);

    expect(lucky).toHaveLength(5);
    expect(await Promise.all(lucky.map((name) => ledger.claimReplacement(name, 5)))).toEqual(lucky.map(() => true));
  });

  test('the next hour has a cap of its own', async () => {
    const { ledger, passHours } = make();
    expect([await ledger.claimReplacement('R1', 1), await ledger.claimReplacement('R2', 1)]).toEqual([true, false]);
    passHours(1);

    expect(await ledger.claimReplacement('R2', 1)).toBe(true);
  });

  test('a robbery is announced by one of many', async () => {
    const { ledger } = make();
    await ledger.recordPickUp({ runnerName: 'R1', jobId: 1, repository: 'acme/app', runId: 7 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ledger.announce('R1')));

    expect(answers.filter((answer) => answer)).toHaveLength(1);
    expect(await ledger.announce('R1')).toBe(false);
    expect(await ledger.pickUp('R1')).toMatchObject({ jobId: 1, isConcluded: true });
    expect(await ledger.announce('R2')).toBe(true);
  });
}

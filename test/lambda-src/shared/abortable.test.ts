import { getEventListeners } from 'node:events';
import { abortable } from '../../../lambda-src/shared/abortable';

test('the call gets the signal, and its answer is handed on', async () => {
  const { signal } = new AbortController();

  expect(await abortable(signal, async (given) => [given === signal, 'answer'])).toEqual([true, 'answer']);
});

test('the error of the call is handed on', async () => {
  const refused = new Error('refused');

  await expect(abortable(new AbortController().signal, () => Promise.reject(refused))).rejects.toBe(refused);
});

test('a call that does not look at the signal ends with it all the same', async () => {
  const controller = new AbortController();
  const tooLate = new Error('too late');
  const ended = abortable(controller.signal, () => new Promise(() => undefined));

  controller.abort(tooLate);

  await expect(ended).rejects.toBe(tooLate);
});

test('with a signal that has been given already the call is not made', async () => {
  const call = jest.fn();

  await expect(abortable(AbortSignal.abort(), call)).rejects.toThrow(/aborted/);
  expect(call).not.toHaveBeenCalled();
});

test('nothing keeps listening to a signal that outlives the call', async () => {
  const { signal } = new AbortController();
  await abortable(signal, () => Promise.resolve());

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

import * as errors from '../../../lambda-src/shared/errors';

const classes = Object.entries(errors).filter(([name]) => name.endsWith('Error') && name !== 'describeError') as Array<[string, new (message: string) => Error]>;

test.each(classes)('%s bears its name where the bundler shortens the one of its class', (name, ErrorClass) => {
  const error = new ErrorClass('it broke');
  expect(errors.describeError(error)).toBe(`${name}: it broke`);
  expect(error).toBeInstanceOf(errors.JanitorError);
});

test('a cause is kept and never described', () => {
  const error = new errors.TransientError('it broke', { cause: new Error('authorization: bearer secret') });
  expect(error.cause).toBeInstanceOf(Error);
  expect(errors.describeError(error)).toBe('TransientError: it broke');
});

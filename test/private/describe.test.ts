import { Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { describe as describeOwner } from '../../src/private/describe';

function ownerOf(depth: number): Construct {
  let owner: Construct = new Stack(undefined, 'Stack');
  for (let level = 0; level < depth; level += 1) owner = new Construct(owner, `Level${level}`);
  return owner;
}

test('a description begins with the path of the construct', () => {
  expect(describeOwner(ownerOf(1), 'does it')).toBe('[Stack/Level0] does it');
});

test('a path that is too long for Lambda loses its beginning, never the purpose', () => {
  const text = describeOwner(ownerOf(60), 'does it');
  expect(text).toHaveLength(256);
  expect(text).toMatch(/^\[\.\.\..*\/Level59\] does it$/);
});

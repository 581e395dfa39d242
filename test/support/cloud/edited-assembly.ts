import { cpSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface EditableTemplate {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

/** A copy of a cloud assembly whose only template somebody has changed by hand. */
export function editedAssembly(assembly: string, edit: (template: EditableTemplate) => void): string {
  const copy = mkdtempSync(join(tmpdir(), 'edited-assembly-'));
  cpSync(assembly, copy, { recursive: true });
  const file = join(copy, readdirSync(copy).find((name) => name.endsWith('.template.json'))!);
  const template = JSON.parse(readFileSync(file, 'utf8')) as EditableTemplate;
  edit(template);
  writeFileSync(file, JSON.stringify(template));
  return copy;
}

/** Takes one action out of every policy of the template. */
export function withoutAction(action: string): (template: EditableTemplate) => void {
  return ({ Resources }) => {
    for (const { Properties } of Object.values(Resources).filter(({ Type }) => Type === 'AWS::IAM::Policy')) {
      const document = Properties.PolicyDocument as { Statement: { Action: string | string[] }[] };
      const left = document.Statement.map((statement) => ({ ...statement, Action: [statement.Action].flat().filter((each) => each !== action) }));
      document.Statement = left.filter(({ Action }) => Action.length > 0);
    }
  };
}

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

export interface PermissionFilter {
  /** part of the logical id of the role; all of them by default */
  readonly role?: string;
  /** part of the resource as it stands in the template; all of them by default */
  readonly resource?: string;
}

interface RawStatement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** Takes one action out of the policies of the template. @throws when none of them has it */
export function withoutAction(action: string, { role = '', resource = '' }: PermissionFilter = {}): (template: EditableTemplate) => void {
  return ({ Resources }) => {
    let removed = 0;
    for (const { Type, Properties } of Object.values(Resources)) {
      if (Type !== 'AWS::IAM::Policy' || !JSON.stringify(Properties.Roles).includes(role)) continue;
      const document = Properties.PolicyDocument as { Statement: RawStatement[] };
      document.Statement = document.Statement.flatMap((statement) => {
        const [actions, resources] = [[statement.Action].flat(), [statement.Resource].flat()];
        const kept = resources.filter((each) => !JSON.stringify(each).includes(resource));
        if (!actions.includes(action) || kept.length === resources.length) return [statement];
        removed++;
        const parts = [{ ...statement, Action: actions.filter((each) => each !== action) }, { ...statement, Action: [action], Resource: kept }];
        return parts.filter(({ Action, Resource }) => [Action].flat().length > 0 && [Resource].flat().length > 0);
      });
    }
    if (removed === 0) throw new Error(`no policy of '${role}' allows '${action}' on '${resource}', so there is nothing to take away`);
  };
}

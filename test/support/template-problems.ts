type Json = Record<string, any>;

/** What would make CloudFormation refuse a template although it synthesised: references to nothing, and tokens that were not resolved. */
export function templateProblems(template: Json): string[] {
  const resources = new Set(Object.keys(template.Resources ?? {}));
  const referable = new Set([...resources, ...Object.keys(template.Parameters ?? {})]);
  const problems: string[] = [];
  visit(template, '', (path, node) => {
    if (typeof node === 'string' && /\$\{Token\[|#\{Token\[|^Token\[/.test(node)) problems.push(`${path}: unresolved token in ${node}`);
    if (typeof node === 'number' && node < -1e288) problems.push(`${path}: unresolved number token`);
    // the encoding of a number token that was turned into text by hand
    if (typeof node === 'string' && /-1\.8881\d+e\+289/.test(node)) problems.push(`${path}: number token as text in ${node}`);
    if (typeof node !== 'object' || node === null) return;
    if (typeof node.Ref === 'string' && !node.Ref.startsWith('AWS::') && !referable.has(node.Ref)) problems.push(`${path}: Ref to ${node.Ref}`);
    const attribute = node['Fn::GetAtt'];
    if (Array.isArray(attribute) && !resources.has(attribute[0])) problems.push(`${path}: Fn::GetAtt of ${attribute[0]}`);
  });
  for (const [id, resource] of Object.entries<Json>(template.Resources ?? {})) {
    for (const other of [resource.DependsOn ?? []].flat()) if (!resources.has(other)) problems.push(`${id}: DependsOn ${other}`);
  }
  return problems;
}

function visit(node: any, path: string, see: (path: string, node: any) => void): void {
  see(path, node);
  if (typeof node === 'object' && node !== null) Object.entries(node).forEach(([key, child]) => visit(child, `${path}/${key}`, see));
}

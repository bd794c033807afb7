/** Reduces the bill of materials that npm writes to what a release contains. */

export type Component = {
  'bom-ref': string
  name: string
  version: string
  scope?: string
  properties?: { name: string; value: string }[]
}

export type Sbom = {
  bomFormat: string
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** npm marks what is installed for the build only, to which the bundled packages belong. */
const DEVELOPMENT = 'cdx:npm:package:development'

/**
 * @param everything what `npm sbom` writes about a checkout
 * @param contained `name@version` of the packages that the build contains
 * @param optional names of packages that npm installs with the release
 */
export function releaseSbom(
  everything: Sbom,
  { name, contained, optional }: { name: string; contained: string[]; optional: string[] },
): Sbom {
  const root = everything.metadata.component
  const needs = new Map(everything.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const isOptional = (ref: string) => optional.includes(ref.slice(0, ref.lastIndexOf('@')))
  const installed = new Set((needs.get(root['bom-ref']) ?? []).filter(isOptional))
  for (const ref of installed) for (const needed of needs.get(ref) ?? []) installed.add(needed)
  const kept = new Set([...contained, ...installed])
  const components = everything.components
    // A package that is installed under another name is named by its reference.
    .filter((each) => kept.has(each['bom-ref']) || kept.has(`${each.name}@${each.version}`))
    .map((each) => ({
      ...each,
      scope: installed.has(each['bom-ref']) ? 'optional' : 'required',
      properties: (each.properties ?? []).filter((property) => property.name !== DEVELOPMENT),
    }))
  const refs = new Set(components.map((each) => each['bom-ref']))
  const own = (dependsOn: string[]) => dependsOn.filter((ref) => refs.has(ref))
  return {
    ...everything,
    // npm writes the name of the folder.
    metadata: { ...everything.metadata, component: { ...root, name } },
    components,
    dependencies: everything.dependencies
      .filter(({ ref }) => ref === root['bom-ref'] || refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: own(dependsOn) })),
  }
}

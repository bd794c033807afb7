/**
 * Describes the target of a click by a short path such as `main > form#login > button.primary`, and
 * never by its text or value. The attribute `data-vigil-name` replaces the path.
 */

const DEPTH = 3
const CLASSES = 2
const LENGTH_MAX = 120

type Named = Pick<Element, 'localName' | 'id' | 'getAttribute' | 'parentElement'>

export function describeTarget(element: Named | null): string {
  const parts: string[] = []
  for (let at = element; at && parts.length < DEPTH; at = at.parentElement) {
    const name = at.getAttribute('data-vigil-name')
    if (name) return name.slice(0, LENGTH_MAX)
    const classes = at.getAttribute('class')?.trim().split(/\s+/).slice(0, CLASSES) ?? []
    const suffix = at.id ? `#${at.id}` : classes.map((word) => word && `.${word}`).join('')
    parts.unshift(at.localName + suffix)
    if (at.id) break
  }
  return parts.join(' > ').slice(0, LENGTH_MAX)
}

/** Custom attributes as editable rows. Strings are edited as text, other values as JSON. */

export type Attribute = { key: number; name: string; kind: 'text' | 'json'; value: string }

export const attributesOf = (record: Readonly<Record<string, unknown>>): Attribute[] =>
  Object.entries(record).map(([name, value], key) =>
    typeof value === 'string'
      ? { key, name, kind: 'text', value }
      : { key, name, kind: 'json', value: JSON.stringify(value) },
  )

export const withNew = (attributes: readonly Attribute[]): Attribute[] => [
  ...attributes,
  { key: 1 + Math.max(-1, ...attributes.map(({ key }) => key)), name: '', kind: 'text', value: '' },
]

/** Errors by the key of the row. */
export function faultsOf(attributes: readonly Attribute[]): ReadonlyMap<number, string> {
  const faults = new Map<number, string>()
  const names = new Set<string>()
  for (const { key, name, kind, value } of attributes) {
    if (name === '') faults.set(key, 'Enter a name.')
    else if (names.has(name)) faults.set(key, `${name} is a duplicate name.`)
    else if (kind === 'json' && !isJson(value)) faults.set(key, 'This is not valid JSON.')
    names.add(name)
  }
  return faults
}

/** @param attributes without faults */
export const recordOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ name, kind, value }) => [
      name,
      kind === 'text' ? value : (JSON.parse(value) as unknown),
    ]),
  )

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

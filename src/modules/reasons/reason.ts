/** Numbers behind a finding by name, as the rules store them. */
export type Numbers = Readonly<Record<string, number | string>>

/** Returns a stored number; undefined when it is missing, as in findings of earlier versions. */
export function numberOf(numbers: Numbers, name: string): number | undefined {
  const value = numbers[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function textOf(numbers: Numbers, name: string): string | undefined {
  const value = numbers[name]
  return typeof value === 'string' ? value : undefined
}

/** Names a finding that has no sentence, such as one of a later version. */
export function nameOf(finding: string): string {
  const text = finding.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Whether a JSON value is nested deeper than `levels`: a string or number has none, `{}` has one.
 * `JSON.parse` accepts any depth, but `JSON.stringify` recurses and would exhaust the stack.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1))
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true
  }
  return false
}

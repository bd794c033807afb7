/**
 * Whether a JSON value is nested more than so many levels deep; a text or number has no level, `{}` has
 * one. Reading JSON may go as deep as the sender likes, writing it again recurses and must not.
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

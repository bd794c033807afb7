/**
 * Applies the substitution expression of a NAPTR record (RFC 3402 section 3.2, RFC 6116 section 3.4).
 *
 * The expression comes from an untrusted DNS server, and a hostile regular expression can run
 * forever. So only the forms that ENUM uses are accepted: literal digits and plus signs, groups, and
 * at most two wildcards, none of them nested.
 */

const MAX_WILDCARDS = 2

/** @param phone with its plus sign @returns undefined for no match or an unsupported expression */
export function rewriteWithNaptr(expression: string, phone: string): string | undefined {
  const delimiter = expression.charAt(0)
  if (delimiter === '' || /[\di\\]/.test(delimiter)) return undefined
  const parts = expression.slice(1).split(delimiter)
  const [pattern = '', replacement = '', flags = ''] = parts
  if (parts.length !== 3 || !/^i?$/.test(flags) || !isHarmless(pattern)) return undefined
  const match = compile(pattern)?.exec(phone)
  if (match === null || match === undefined) return undefined
  return replacement.replace(/\\(\d)/g, (_, group: string) => match[Number(group)] ?? '')
}

function isHarmless(pattern: string): boolean {
  const wildcards = pattern.match(/\.[*+]/g)?.length ?? 0
  return wildcards <= MAX_WILDCARDS && /^\^?(?:\\\+|\d|\.[*+]|\.|[()])*\$?$/.test(pattern)
}

/** Returns undefined for a malformed pattern such as `(()`. */
function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}

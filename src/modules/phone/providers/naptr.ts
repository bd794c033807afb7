/**
 * The substitution expression of a NAPTR record (RFC 3402 section 3.2, RFC 6116 section 3.4).
 *
 * It comes from a stranger's DNS and a regular expression can be made to run for ever, so only the
 * forms that ENUM uses are carried out: literal digits and plus signs, groups, and at most two
 * wildcards, none of them nested.
 */

const MAX_WILDCARDS = 2

/** Applied to the number with its plus sign; undefined when it does not match or is not understood. */
export function rewriteWithNaptr(expression: string, phone: string): string | undefined {
  const delimiter = expression.charAt(0)
  if (delimiter === '' || /[\di\\]/.test(delimiter)) return undefined
  const parts = expression.slice(1).split(delimiter)
  const [pattern = '', replacement = '', flags = ''] = parts
  if (parts.length !== 3 || !/^i?$/.test(flags) || !isTame(pattern)) return undefined
  const match = compile(pattern)?.exec(phone)
  if (match === null || match === undefined) return undefined
  return replacement.replace(/\\(\d)/g, (_, group: string) => match[Number(group)] ?? '')
}

function isTame(pattern: string): boolean {
  const wildcards = pattern.match(/\.[*+]/g)?.length ?? 0
  return wildcards <= MAX_WILDCARDS && /^\^?(?:\\\+|\d|\.[*+]|\.|[()])*\$?$/.test(pattern)
}

/** Tame, but still not well-formed: `(()`. */
function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}

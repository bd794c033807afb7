/** Findings from the part before the @. It reveals little, so every finding is weak. */

export type LocalPartFinding =
  | 'role_account'
  | 'no_vowels'
  | 'mostly_digits'
  | 'consonant_run'
  | 'random_looking'

/** RFC 2142 and common names of the same kind: a department, not a person. */
const ROLES = new Set(
  `abuse accounting accounts admin administrator billing board bookings careers compliance contact
  customercare customerservice enquiries feedback finance ftp hello help helpdesk hostmaster hr info
  inquiries invoices it jobs legal mail mailer-daemon marketing media news newsletter no-reply noc
  noreply office operations orders payments postmaster press privacy purchasing reception recruitment
  registrar returns root sales security service shipping shop spam staff store support sysadmin team
  tech usenet uucp webmaster www`.split(/\s+/),
)

/** Providers that assign phone or account numbers as mailbox names. */
const NUMBERS_AS_NAMES = new Set(['qq.com', '163.com', '126.com', '139.com', '189.cn', 'naver.com'])

const SHORTEST_RANDOM = 10

/** Returns no findings for other scripts than Latin, because only Latin vowels are counted. */
export function describeLocalPart(local: string, domain: string): LocalPartFinding[] {
  const name = (local.toLowerCase().split('+')[0] ?? '').normalize('NFD')
  if (ROLES.has(name.replaceAll(/[._]/g, '-')) || ROLES.has(name)) return ['role_account']
  const letters = name.replaceAll(/[^a-z]/g, '')
  const digits = name.replaceAll(/[^0-9]/g, '')
  const hasOnlyLatin = /^[\p{ASCII}\p{M}]*$/u.test(name)
  if (!hasOnlyLatin || NUMBERS_AS_NAMES.has(domain)) return []
  const findings: LocalPartFinding[] = []
  if (letters.length >= 6 && !/[aeiouy]/.test(letters)) findings.push('no_vowels')
  else if (/[bcdfghjklmnpqrstvwxz]{6}/.test(letters)) findings.push('consonant_run')
  if (name.length >= 8 && digits.length * 2 > name.length) findings.push('mostly_digits')
  if (looksRandom(name)) findings.push('random_looking')
  return findings
}

/** Letters and digits alternate at least four times, as generators write and people do not. */
function looksRandom(name: string): boolean {
  if (name.length < SHORTEST_RANDOM) return false
  const switches = name.match(/[a-z](?=[0-9])|[0-9](?=[a-z])/g) ?? []
  return switches.length >= 4
}

/**
 * Reads a WHOIS answer. RFC 3912 does not specify its text, so this is a table of the words that
 * registries use.
 */
import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import type { Registration } from '../facts.ts'
import { parseWhoisDate } from './whois-date.ts'

/** Labels of the registration date, without case, spaces, dots and underscores. */
const DATE_LABELS = new Set(
  `activatedon activationdate assigned commencementdate created createdate createddate createdon
  creationdate dateregistered domaincreated domaincreatedate domaincreationdate
  domaindateregistered domainnamecommencementdate domainrecordactivated domainregistered
  domainregistrationdate fechaderegistro recordactivated recordcreated recordcreatedon
  registered registereddate registeredon registrationdate registrationtime`.split(/\s+/),
)

/** Beginnings of lines that deny the domain, in lower case and without comment signs. */
const NOT_REGISTERED = [
  /^no (?:match|data|entries|entry|objects?|records?|such domain|information|matching record)\b/,
  /^(?:(?:domain|object)(?: name)? )?not (?:found|registered|exist)\b/,
  /^(?:nothing found|this query returned 0 objects|no_entries)/,
  /^(?:domain |registration )?status:\s*(?:free|available|no object found|not registered)\b/,
  /^(?:the |requested |queried )*(?:domain|object)\b.{0,100}(?:not found|not exist|not (?:been )?registered)/,
  /^(?:the )?domain\b.{0,100}is (?:available|free)(?: for (?:registration|purchase))?\W*$/,
  /^(?:available|free)$/,
]

/** Denials that follow the name of the domain at the beginning of the line. */
const NAME_NOT_REGISTERED =
  /^["']?[\s:-]*(?:is )?(?:available|free|not|no match|was not|does not exist)/

const RATE_LIMITED =
  /(?:limit|quota|rate)[^\n]{0,40}exceeded|exceeded[^\n]{0,40}(?:limit|quota|rate|queries)|too many (?:requests|queries|connections)|temporarily (?:blocked|banned)|has been (?:blocked|banned)/i

/** Longer lines are prose. The limit also bounds the work that a hostile answer can cause. */
const MAX_LINE_LENGTH = 300

/** @param domain in lower-case A-labels @returns `bad_answer` for words that the table does not know */
export function readWhoisAnswer(text: string, domain: string): Lookup<Registration> {
  const lines = text.split(/\r?\n/).map((line) => line.slice(0, MAX_LINE_LENGTH).trim())
  const dated = registrationDate(lines)
  if (dated !== undefined) return known({ status: 'registered', registered_at: dated })
  if (lines.some((line) => RATE_LIMITED.test(line))) return unknown('rate_limited')
  if (lines.some((line) => deniesDomain(line, domain))) {
    return known({ status: 'not_registered', registered_at: null })
  }
  return lines.some((line) => namesDomain(line, domain))
    ? known({ status: 'registered', registered_at: null })
    : unknown('bad_answer')
}

/** Returns the server that IANA refers to for a top-level domain; undefined without a referral. */
export function readReferral(text: string): string | undefined {
  const [, host] = /^(?:refer|whois):[ \t]*(\S+)[ \t]*\r?$/im.exec(text) ?? []
  return host
}

function deniesDomain(line: string, domain: string): boolean {
  const words = line.toLowerCase().replace(/^[\s%#*>"']+/, '')
  if (NOT_REGISTERED.some((pattern) => pattern.test(words))) return true
  return words.startsWith(domain) && NAME_NOT_REGISTERED.test(words.slice(domain.length))
}

function registrationDate(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const { label, value } = splitLine(line)
    if (!DATE_LABELS.has(label)) continue
    const date = parseWhoisDate(value) ?? parseBefore(value)
    if (date !== undefined) return date
  }
  return undefined
}

/** Reads `Label: value`, `label........: value`, `[Label] value`, and `Record created on value`. */
function splitLine(line: string): { label: string; value: string } {
  const shape =
    /^[\s*%#]*\[([^\]]{3,40})\]\s*(.*)$/.exec(line) ??
    /^[\s*%#]*([a-z][a-z _-]{2,40}?)[ .\t]*:\s*(.*)$/i.exec(line) ??
    /^(record created on)\s+(.*)$/i.exec(line)
  const label = (shape?.[1] ?? '').toLowerCase().replace(/[\s._-]/g, '')
  return { label, value: shape?.[2] ?? '' }
}

/** Returns the latest possible date for `before Aug-1996` (.uk) and `Before 2001` (.ro). */
function parseBefore(value: string): string | undefined {
  const [, month, year] = /^before (?:([a-z]{3})-)?(\d{4})$/i.exec(value) ?? []
  return year === undefined ? undefined : parseWhoisDate(`1 ${month ?? 'Jan'} ${year}`)
}

/** Answers about registered domains repeat the name. */
function namesDomain(line: string, domain: string): boolean {
  const [, name] = /^\**\s*\[?domain(?:[ _-]?name)?\]?[ .\t]*:?\s*(\S+)$/i.exec(line) ?? []
  return name?.toLowerCase().replace(/\.$/, '') === domain
}

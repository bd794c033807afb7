/**
 * Grades a mail domain by the compiled lists: public provider, relay, or disposable service, and how
 * many lists agree. Public providers and relays take precedence over the disposable lists. A public
 * suffix is never matched, so that an entry `com.ar` cannot affect a whole country.
 */
import { join } from 'node:path'
import { getDomain, getPublicSuffix } from 'tldts'
import { type HashedNames, openNames } from '../../../platform/lists/hashed-names.ts'
import { readSections, type Sections } from '../../../platform/lists/sections.ts'
import { DOMAIN_LISTS_FILE, DOMAIN_LISTS_PREFIX, LIST_FLAGS } from './list-file.ts'

type ListName = keyof typeof LIST_FLAGS

export type DomainLists = HashedNames

export type DomainClass = 'free_mail' | 'relay' | 'curated' | 'two_lists' | 'one_list' | 'none'

export type DomainGrade = {
  readonly class: DomainClass
  /** The listed name that determined the class, null for class `none`. */
  readonly matched_domain: string | null
  readonly via: 'domain' | 'parent_domain' | 'mail_host' | null
  readonly lists: readonly string[]
}

export const NOT_LISTED: DomainGrade = { class: 'none', matched_domain: null, via: null, lists: [] }

/** Reads the lists that the build compiled into the folder. */
export function loadDomainLists(folder: string): DomainLists {
  return openDomainLists(readSections(join(folder, DOMAIN_LISTS_FILE)))
}

export function openDomainLists(sections: Sections): DomainLists {
  return openNames(DOMAIN_LISTS_PREFIX, sections)
}

/**
 * Grades a domain in ASCII form. Its mail hosts count when neither the domain nor a parent is well
 * known: many disposable domains share the servers of a listed one.
 */
export function gradeDomain(
  lists: DomainLists,
  domain: string,
  mailHosts: readonly string[] = [],
): DomainGrade {
  const listed = gradeOfName(lists, domain)
  const own = listed.class === 'one_list' && isRestricted(domain) ? NOT_LISTED : listed
  return withMailHosts(lists, own, mailHosts)
}

/** Adds the mail hosts of a domain to its grade. */
export function withMailHosts(
  lists: DomainLists,
  own: DomainGrade,
  mailHosts: readonly string[],
): DomainGrade {
  if (own.class !== 'none' && own.class !== 'one_list') return own
  for (const host of mailHosts) {
    const ofHost = gradeOfName(lists, host.toLowerCase())
    if (ofHost.class === 'curated' || ofHost.class === 'two_lists') {
      return { ...ofHost, via: 'mail_host' }
    }
  }
  return own
}

function gradeOfName(lists: DomainLists, domain: string): DomainGrade {
  for (const name of withParents(domain)) {
    const flags = lists.flagsOf(name)
    const isExact = name === domain
    const found = classOf(flags)
    if (found === 'none') continue
    // gmail.com is a provider of free mail, but its subdomains are not.
    if (found === 'free_mail' && !isExact) return NOT_LISTED
    const via = isExact ? 'domain' : 'parent_domain'
    return { class: found, matched_domain: name, via, lists: listNames(flags) }
  }
  return NOT_LISTED
}

function classOf(flags: number): DomainClass {
  if ((flags & LIST_FLAGS.free_mail) !== 0) return 'free_mail'
  if ((flags & LIST_FLAGS.relay) !== 0) return 'relay'
  if ((flags & (LIST_FLAGS.curated | LIST_FLAGS.scraped)) !== 0) return 'curated'
  const bigLists = flags & (LIST_FLAGS.first_big_list | LIST_FLAGS.second_big_list)
  if (bigLists === 0) return 'none'
  return bigLists === (LIST_FLAGS.first_big_list | LIST_FLAGS.second_big_list)
    ? 'two_lists'
    : 'one_list'
}

function listNames(flags: number): ListName[] {
  return (Object.keys(LIST_FLAGS) as ListName[]).filter((name) => (flags & LIST_FLAGS[name]) !== 0)
}

/** Suffixes reserved for universities, public bodies and armed forces: a single list errs there. */
const RESTRICTED = /(?:^|\.)(?:edu|ac|gov|gob|gouv|mil|int)(?:\.[a-z]{2})?$/

const isRestricted = (domain: string): boolean =>
  RESTRICTED.test(getPublicSuffix(domain, { allowPrivateDomains: true }) ?? '')

/** Returns the name and its parents, down to one label below the public suffix. */
function withParents(domain: string): string[] {
  const registrable = getDomain(domain, { allowPrivateDomains: true })
  if (registrable === null) return []
  const names = [domain]
  let name = domain
  while (name !== registrable && name.includes('.')) {
    name = name.slice(name.indexOf('.') + 1)
    names.push(name)
  }
  return names
}

/**
 * Compiles the mail domain lists of several npm packages into one set of hashed names with a flag per
 * source. The evaluation compiles it without some of the sources.
 */
import { domainToASCII } from 'node:url'
import { getPublicSuffix } from 'tldts'
import {
  FREE_MAIL_SUPPLEMENT,
  RELAY_SERVICES,
  REPORTED_FALSE_LISTINGS,
} from '../../src/modules/checks/email/known-services.ts'
import { DOMAIN_LISTS_PREFIX, LIST_FLAGS } from '../../src/modules/checks/email/list-file.ts'
import { packNames } from '../../src/platform/lists/hashed-names.ts'
import type { Sections } from '../../src/platform/lists/sections.ts'
import { readDisposableSources, readPackageText, type SourceName } from './sources.ts'

/** Flag of each source. `burner-email-providers` has none, because only the evaluation uses it. */
const FLAG_OF_SOURCE: Readonly<Partial<Record<SourceName, number>>> = {
  'disposable-email-domains-js': LIST_FLAGS.curated,
  fakefilter: LIST_FLAGS.scraped,
  'disposable-email-domains': LIST_FLAGS.first_big_list,
  'disposable-domains': LIST_FLAGS.first_big_list,
  mailchecker: LIST_FLAGS.second_big_list,
}

export const COMPILED_SOURCES = Object.keys(FLAG_OF_SOURCE) as SourceName[]

const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/

/** Returns the sections that `openDomainLists` reads. */
export function compileDomainLists(sources: readonly SourceName[] = COMPILED_SOURCES): Sections {
  const names = new Map<string, number>()
  for (const source of sources) {
    const flag = FLAG_OF_SOURCE[source] ?? 0
    for (const entry of readDisposableSources(source)) addName(names, entry, flag)
  }
  for (const domain of REPORTED_FALSE_LISTINGS) names.delete(domain)
  for (const domain of commonFreeMail(names)) addName(names, domain, LIST_FLAGS.free_mail)
  for (const domain of FREE_MAIL_SUPPLEMENT) addName(names, domain, LIST_FLAGS.free_mail)
  for (const domain of RELAY_SERVICES) addName(names, domain, LIST_FLAGS.relay)
  return packNames(DOMAIN_LISTS_PREFIX, names)
}

function addName(names: Map<string, number>, entry: string, flag: number): void {
  const name = normalizeDomain(entry)
  if (name === undefined || flag === 0) return
  names.set(name, (names.get(name) ?? 0) | flag)
}

/** Lower-case ASCII; undefined for a public suffix and for text that is not a host name. */
export function normalizeDomain(entry: string): string | undefined {
  const trimmed = entry
    .trim()
    .toLowerCase()
    .replace(/^\*?\./, '')
  const name = HOST_NAME.test(trimmed) ? trimmed : domainToASCII(trimmed)
  if (!HOST_NAME.test(name)) return undefined
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name ? undefined : name
}

/** Entries of the common list that are reserved names, placeholders or companies with their own mail. */
const NOT_FREE_MAIL = new Set(
  `example.com test.com test.de yourdomain.com mydomain.com www.com name.com facebook.com alibaba.com
  discovery.com medscape.com techspot.com oath.com nus.edu.sg unican.es dnsmadeeasy.com dynu.net
  ddnsfree.com f5.si`.split(/\s+/),
)

/** Excludes disposable services from the common list of the package: curated ones, and those that two lists contain. */
function commonFreeMail(names: ReadonlyMap<string, number>): string[] {
  const common = JSON.parse(readPackageText('email-providers', 'common.json')) as string[]
  return common.filter((domain) => {
    const flags = names.get(domain) ?? 0
    if (NOT_FREE_MAIL.has(domain)) return false
    const isCurated = (flags & (LIST_FLAGS.curated | LIST_FLAGS.scraped)) !== 0
    return !isCurated && flags !== (LIST_FLAGS.first_big_list | LIST_FLAGS.second_big_list)
  })
}

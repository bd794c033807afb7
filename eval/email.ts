/**
 * Measures how well the e-mail rules distinguish disposable domains from legitimate ones without a
 * network. DNS and RDAP count as unknown, so only the lists and the spelling of the name decide.
 *
 * Recall is measured on lists that are not part of the compiled lists. Each pair of sources is held out
 * in turn, all other sources are compiled, and the domains that the two held-out sources agree on are
 * scored.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  COMPILED_SOURCES,
  compileDomainLists,
  normalizeDomain,
} from '../scripts/compile-data/domain-lists.ts'
import { readDisposableSources, type SourceName } from '../scripts/compile-data/sources.ts'
import { parseAddress } from '../src/modules/checks/email/address.ts'
import { assessEmail, type EmailAssessment } from '../src/modules/checks/email/assess.ts'
import {
  type DomainLists,
  gradeDomain,
  openDomainLists,
} from '../src/modules/checks/email/lists.ts'
import { score } from '../src/modules/risk/index.ts'
import { unknown } from '../src/platform/lookup.ts'
import { packageRoot } from '../src/platform/package-root.ts'

/** Packages that build on one another count as one source. */
const SOURCES: Readonly<Record<string, readonly SourceName[]>> = {
  curated: ['disposable-email-domains-js'],
  fakefilter: ['fakefilter'],
  ivolo_family: ['disposable-email-domains', 'disposable-domains'],
  mailchecker: ['mailchecker'],
  burner: ['burner-email-providers'],
}

/**
 * The pair whose origins have the least in common: fakefilter is scraped from the services themselves,
 * burner is submitted by hand and never compiled into the product.
 */
const MAIN_PAIR = ['fakefilter', 'burner'] as const

const EVALUATION_DATE = new Date('2026-11-01T00:00:00Z')
const NOT_LOOKED_UP = unknown('not_configured')

type Recall = {
  domains: number
  at_50: number
  at_25: number
  /** Number of domains that each finding decided. */
  by_finding: Record<string, number>
}
type Judged = { domain: string; score: number; finding: string }

/** Domains that should not be scored as disposable. */
type Legitimate = { domains: number; at_50: Judged[]; at_25: Judged[] }

export type EmailEvaluation = {
  main_pair: { held_out: readonly string[]; agreed: Recall; lists: Record<string, Recall> }
  every_pair: { held_out: string[]; agreed: Recall }[]
  /** The lists as shipped, against the one source that is never compiled. */
  product: { held_out: string; recall: Recall }
  legitimate: Legitimate
  /** Public allow lists of the folder `data`, by file. */
  allow_lists: Record<string, Legitimate>
}

/** @param data folder of public allow lists, which are not shipped */
export function evaluateEmail({ data }: { data: string | undefined }): EmailEvaluation {
  const names = Object.keys(SOURCES)
  const domains = Object.fromEntries(names.map((name) => [name, domainsOf(name)]))
  const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b]))
  const product = openDomainLists(compileDomainLists())
  return {
    main_pair: {
      held_out: MAIN_PAIR,
      agreed: recallOf(agreed(domains, MAIN_PAIR), listsWithout(MAIN_PAIR)),
      lists: Object.fromEntries(
        MAIN_PAIR.map((name) => [name, recallOf(domains[name] ?? [], listsWithout(MAIN_PAIR))]),
      ),
    },
    every_pair: pairs.map((pair) => ({
      held_out: pair,
      agreed: recallOf(agreed(domains, pair), listsWithout(pair)),
    })),
    product: { held_out: 'burner', recall: recallOf(domains['burner'] ?? [], product) },
    legitimate: judgeLegitimate(readDomains(LEGITIMATE), product),
    allow_lists: data === undefined ? {} : judgeFolder(resolve(data), product),
  }
}

const LEGITIMATE = join(packageRoot(), 'eval', 'data', 'legitimate-domains.txt')

export function printEmail(result: EmailEvaluation): string {
  const { main_pair, every_pair, product, legitimate, allow_lists } = result
  return [
    `Recall, lists compiled without ${main_pair.held_out.join(' and ')}:`,
    recallLine('both agree', main_pair.agreed),
    ...Object.entries(main_pair.lists).map(([name, recall]) => recallLine(name, recall)),
    'Recall on what two held-out sources agree on, every pair:',
    ...every_pair.map(({ held_out, agreed: recall }) => recallLine(held_out.join(' + '), recall)),
    'Recall of the lists as shipped:',
    recallLine(product.held_out, product.recall),
    ...legitimateLines('Legitimate domains', legitimate),
    ...Object.entries(allow_lists).flatMap(([file, list]) =>
      legitimateLines(`Allow list ${file}`, list),
    ),
  ].join('\n')
}

const legitimateLines = (name: string, { domains, at_50, at_25 }: Legitimate): string[] => [
  `${name}: ${domains}`,
  `  score >= 50: ${at_50.length}`,
  ...at_50.map(judgedLine),
  `  score 25 to 49: ${at_25.length}`,
  ...at_25.map(judgedLine),
]

const judgedLine = (judged: Judged): string =>
  `    ${judged.score} ${judged.domain} (${judged.finding})`

function recallLine(name: string, { domains, at_50, at_25, by_finding }: Recall): string {
  const share = (count: number) => (domains === 0 ? '-' : (count / domains).toFixed(3))
  const findings = Object.entries(by_finding)
    .toSorted(([, a], [, b]) => b - a)
    .map(([finding, count]) => `${finding} ${count}`)
  const numbers = `${domains} domains, >= 50: ${share(at_50)}, >= 25: ${share(at_25)}`
  return `  ${name}: ${numbers}\n    ${findings.join(', ')}`
}

function domainsOf(source: string): Set<string> {
  const entries = (SOURCES[source] ?? []).flatMap((name) => [...readDisposableSources(name)])
  return new Set(entries.map(normalizeDomain).filter((domain) => domain !== undefined))
}

function agreed(domains: Record<string, Set<string>>, pair: readonly string[]): string[] {
  const [first, second] = pair.map((name) => domains[name] ?? new Set<string>())
  return first === undefined || second === undefined ? [] : [...first].filter((d) => second.has(d))
}

function listsWithout(heldOut: readonly string[]): DomainLists {
  const left = new Set(heldOut.flatMap((name) => SOURCES[name] ?? []))
  return openDomainLists(compileDomainLists(COMPILED_SOURCES.filter((name) => !left.has(name))))
}

function recallOf(domains: Iterable<string>, lists: DomainLists): Recall {
  const recall: Recall = { domains: 0, at_50: 0, at_25: 0, by_finding: {} }
  for (const domain of domains) {
    const judged = judge(domain, lists)
    recall.domains += 1
    if (judged.score >= 50) recall.at_50 += 1
    if (judged.score >= 25) recall.at_25 += 1
    recall.by_finding[judged.finding] = (recall.by_finding[judged.finding] ?? 0) + 1
  }
  return recall
}

/** The local part is ordinary, so that only the domain is judged. */
function judge(domain: string, lists: DomainLists): Judged {
  const address = parseAddress(`maria.keller@${domain}`)
  const lookups = { mail_route: NOT_LOOKED_UP, registration: NOT_LOOKED_UP }
  const facts = { address, grade: gradeDomain(lists, domain), ...lookups }
  const assessment = assessEmail(facts, EVALUATION_DATE)
  const [strongest] = assessment.evidence.toSorted((a, b) => b.score - a.score)
  const finding = strongest === undefined || strongest.score === 0 ? 'nothing' : strongest.finding
  return { domain, score: finalScore(assessment), finding }
}

/** The score of a check with only an e-mail address. */
function finalScore({ signals, hard_floor }: EmailAssessment): number {
  const { domain_age_score, mx_score, disposable_score } = signals
  const strengths = { domain_age: domain_age_score, mx: mx_score, disposable: disposable_score }
  return score(strengths, hard_floor).risk_score
}

function judgeLegitimate(domains: readonly string[], lists: DomainLists): Legitimate {
  const judged = domains.map((domain) => judge(domain, lists)).toSorted((a, b) => b.score - a.score)
  return {
    domains: judged.length,
    at_50: judged.filter((each) => each.score >= 50),
    at_25: judged.filter((each) => each.score >= 25 && each.score < 50),
  }
}

/** Reads one domain a line; other lines are skipped, so that lists with comments work. */
function readDomains(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const domains = lines.map(normalizeDomain).filter((domain) => domain !== undefined)
  return [...new Set(domains)]
}

function judgeFolder(folder: string, lists: DomainLists): Record<string, Legitimate> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => name).toSorted()
  return Object.fromEntries(
    names.map((name) => [name, judgeLegitimate(readDomains(join(folder, name)), lists)]),
  )
}

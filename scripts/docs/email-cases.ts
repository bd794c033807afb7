/** One e-mail check per finding of the rules, for the table of docs/checks.md. */
import { parseAddress } from '../../src/modules/checks/email/address.ts'
import { assessEmail, type EmailFacts } from '../../src/modules/checks/email/assess.ts'
import type { MailRoute } from '../../src/modules/checks/email/facts.ts'
import { AGE_GRADES } from '../../src/modules/checks/email/grades.ts'
import {
  type DomainClass,
  type DomainGrade,
  NOT_LISTED,
} from '../../src/modules/checks/email/lists.ts'
import type { Evidence } from '../../src/modules/risk/index.ts'
import { known, unknown } from '../../src/platform/lookup.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'

export type FindingCase = { when: string; evidence: Evidence | undefined }

type Facts = { address?: string } & Partial<Omit<EmailFacts, 'address'>>
type CreateCase = (when: string, facts: Facts) => FindingCase

export function emailCases(now: Date): FindingCase[] {
  const caseOf =
    (signal: string): CreateCase =>
    (when, { address = 'jane@site.example', ...facts }) => {
      const nothing = unknown('not_configured')
      const all = { grade: NOT_LISTED, mail_route: nothing, registration: nothing, ...facts }
      const { evidence } = assessEmail({ address: parseAddress(address), ...all }, now)
      const found = evidence.filter((item) => item.signal === signal)
      return { when, evidence: found.find(({ finding }) => !finding.endsWith('_unknown')) }
    }
  const [mx, disposable] = [caseOf('mx'), caseOf('disposable')]
  return [
    ...ages(caseOf('domain_age'), now),
    ...routes(mx),
    ...lookalikes(mx),
    ...lists(disposable, now),
    ...names(disposable),
  ]
}

const registered = (now: Date, days: number) => ({
  registration: known({
    status: 'registered' as const,
    registered_at: new Date(now.getTime() - days * DAY_MS).toISOString(),
  }),
})

function ages(create: CreateCase, now: Date): FindingCase[] {
  const young = AGE_GRADES.map(({ below_days }) =>
    create(
      `registered less than ${below_days} day${below_days === 1 ? '' : 's'} ago`,
      registered(now, below_days - 0.5),
    ),
  )
  const status = 'not_registered' as const
  const registration = known({ status, registered_at: null })
  return [...young, create('the domain is not registered', { registration })]
}

const routeOf = (status: MailRoute['status'], points_inward = false) => ({
  mail_route: known({ status, hosts: [], points_inward }),
})

const routes = (create: CreateCase): FindingCase[] => [
  create('the syntax is invalid (score at least 95)', { address: 'jane' }),
  create('the domain does not exist (score at least 95)', routeOf('nxdomain')),
  create('the domain declares that it accepts no mail (score at least 95)', routeOf('null_mx')),
  create('the mail servers of the domain have private addresses', routeOf('mx', true)),
  create('the domain has neither MX nor address records', routeOf('no_mail')),
  create('the domain has an address record but no MX record', routeOf('implicit_mx')),
]

const lookalikes = (create: CreateCase): FindingCase[] => [
  create('letters of another script imitate a popular domain', { address: 'jane@gm\u0430il.com' }),
  create('one label mixes scripts that do not occur together', {
    address: 'jane@s\u0456te.example',
  }),
  create('similar letters imitate a popular domain (`rn` for `m`)', { address: 'jane@grnail.com' }),
  create('one typing error from a popular domain', { address: 'jane@gmial.com' }),
]

const gradeOf = (found: DomainClass, via: DomainGrade['via'] = 'domain') => ({
  grade: { class: found, matched_domain: 'site.example', via, lists: [] },
})

function lists(create: CreateCase, now: Date): FindingCase[] {
  const oneList = gradeOf('one_list')
  return [
    create('the domain is on a curated list', gradeOf('curated')),
    create('the domain is on two independent lists', gradeOf('two_lists')),
    create('the mail server of the domain is on a curated list', gradeOf('curated', 'mail_host')),
    create('the mail server of the domain is on two lists', gradeOf('two_lists', 'mail_host')),
    create('the domain is on one list, and new, without mail or named like a disposable service', {
      ...oneList,
      ...registered(now, 1),
    }),
    create('the domain is on one list, without other evidence', oneList),
    create('the domain is a forwarding service', gradeOf('relay')),
  ]
}

function names(create: CreateCase): FindingCase[] {
  const of = (when: string, local: string) => create(when, { address: `${local}@site.example` })
  return [
    of('the local part has six or more letters and no vowel', 'bcdfgh'),
    of('the local part has six consonants in a row', 'abcdfghk'),
    of('the local part is mostly digits', 'jane12345678'),
    of('letters and digits alternate in the local part', 'ab1cd2ef3gh4ij'),
    of('a role address such as `info@` (no effect on the score)', 'info'),
  ]
}

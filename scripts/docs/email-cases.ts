/** One e-mail per finding that the rules know, for the table of docs/checks.md. */
import { parseAddress } from '../../src/modules/checks/email/address.ts'
import { assessEmail, type EmailFacts } from '../../src/modules/checks/email/assess.ts'
import type { MailRoute } from '../../src/modules/checks/email/facts.ts'
import { AGE_GRADES } from '../../src/modules/checks/email/grades.ts'
import {
  type DomainClass,
  type DomainGrade,
  NOT_LISTED,
} from '../../src/modules/checks/email/lists.ts'
import { known, unknown } from '../../src/platform/lookup.ts'
import type { FindingCase } from './check-tables.ts'

type Case = { address?: string } & Partial<Omit<EmailFacts, 'address'>>
type Ask = (when: string, signal: string, facts: Case) => FindingCase

const DAY_MS = 86_400_000

export function emailCases(now: Date): FindingCase[] {
  const ask: Ask = (when, signal, { address = 'jane@site.example', ...facts }) => {
    const nothing = unknown('not_configured')
    const all = { grade: NOT_LISTED, mail_route: nothing, registration: nothing, ...facts }
    const { evidence } = assessEmail({ address: parseAddress(address), ...all }, now)
    const found = evidence.filter((item) => item.signal === signal)
    return { when, evidence: found.find(({ finding }) => !finding.endsWith('_unknown')) }
  }
  return [...ages(ask, now), ...routes(ask), ...lookalikes(ask), ...lists(ask, now), ...names(ask)]
}

const registered = (now: Date, days: number) => ({
  registration: known({
    status: 'registered' as const,
    registered_at: new Date(now.getTime() - days * DAY_MS).toISOString(),
  }),
})

function ages(ask: Ask, now: Date): FindingCase[] {
  const young = AGE_GRADES.map(({ below_days }) =>
    ask(
      `registered less than ${below_days} day${below_days === 1 ? '' : 's'} ago`,
      'domain_age',
      registered(now, below_days - 0.5),
    ),
  )
  const status = 'not_registered' as const
  const registration = known({ status, registered_at: null })
  return [...young, ask('the registry says that the name is free', 'domain_age', { registration })]
}

const routeOf = (status: MailRoute['status'], points_inward = false) => ({
  mail_route: known({ status, hosts: [], points_inward }),
})

function routes(ask: Ask): FindingCase[] {
  return [
    ask('the syntax is not that of an address (score at least 95)', 'mx', { address: 'jane' }),
    ask('the domain does not exist (score at least 95)', 'mx', routeOf('nxdomain')),
    ask('the domain declares that it takes no mail (score at least 95)', 'mx', routeOf('null_mx')),
    ask('its mail servers lead to private addresses', 'mx', routeOf('mx', true)),
    ask('it has neither MX nor address records', 'mx', routeOf('no_mail')),
    ask('it has an address but no MX', 'mx', routeOf('implicit_mx')),
  ]
}

function lookalikes(ask: Ask): FindingCase[] {
  return [
    ask('letters of another script, the shape of a popular domain', 'mx', {
      address: 'jane@gm\u0430il.com',
    }),
    ask('one label mixes scripts that are not written together', 'mx', {
      address: 'jane@s\u0456te.example',
    }),
    ask('the shape of a popular domain (`rn` for `m`)', 'mx', { address: 'jane@grnail.com' }),
    ask('one slip of the keyboard from a popular domain', 'mx', { address: 'jane@gmial.com' }),
  ]
}

const gradeOf = (found: DomainClass, via: DomainGrade['via'] = 'domain') => ({
  grade: { class: found, matched_domain: 'site.example', via, lists: [] },
})

function lists(ask: Ask, now: Date): FindingCase[] {
  const signal = 'disposable'
  const oneList = gradeOf('one_list')
  return [
    ask('on a curated list', signal, gradeOf('curated')),
    ask('on two independent lists', signal, gradeOf('two_lists')),
    ask('its mail server is on a curated list', signal, gradeOf('curated', 'mail_host')),
    ask('its mail server is on two lists', signal, gradeOf('two_lists', 'mail_host')),
    ask('on one list, and new, without mail, or named like one', signal, {
      ...oneList,
      ...registered(now, 1),
    }),
    ask('on one list, nothing else against it', signal, oneList),
    ask('a forwarding service', signal, gradeOf('relay')),
  ]
}

function names(ask: Ask): FindingCase[] {
  const of = (when: string, local: string) =>
    ask(when, 'disposable', { address: `${local}@site.example` })
  return [
    of('six letters or more, no vowel', 'bcdfgh'),
    of('six consonants in a row', 'abcdfghk'),
    of('mostly digits', 'jane12345678'),
    of('letters and digits taking turns', 'ab1cd2ef3gh4ij'),
    of('an address of a role (`info@`): told, counts nothing', 'info'),
  ]
}

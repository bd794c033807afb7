/** The facts about a check. */
import { type FactGroup, FINDINGS, LIST_FACTS, signalFacts } from './fact-types.ts'

const counts = (what: string) =>
  ({
    last_hour: ['double', `checks with ${what} of about the last hour, including this one`],
    last_day: ['double', `checks with ${what} of about the last day, including this one`],
    last_week: ['double', `checks with ${what} of about the last week, including this one`],
  }) as const satisfies FactGroup

export const CHECK_FACTS = {
  check: {
    event_type: ['string', 'event_type as sent, such as "signup"'],
    has_email: ['bool', 'whether an e-mail address was sent'],
    has_phone: ['bool', 'whether a phone number was sent'],
    has_device: ['bool', 'whether data about the device was sent'],
    hour: ['int', 'hour of the arrival in UTC, 0 to 23'],
  },
  sent: {
    metadata: ['map<string, string>', 'metadata as sent, such as sent.metadata.plan'],
    behavior: ['map<string, string>', 'behavior as sent'],
    device: ['map<string, string>', 'device as sent, such as sent.device.platform'],
  },
  email: {
    address: ['string', 'the address in lower case'],
    domain: ['string', 'what follows the "@", in lower case'],
    ...counts('this mailbox'),
  },
  domain: counts('this domain, unless it is a mail provider,'),
  phone: {
    number: ['string', 'the number as sent'],
    is_valid: ['bool', 'whether the number is assigned'],
    line_type: ['string', 'mobile, landline or voip'],
    carrier: ['string', 'name of the carrier'],
    country: ['string', 'ISO 3166 code of the country, such as "DE"'],
    recent_sim_swap: ['bool', 'whether the SIM was swapped within 7 days'],
    is_ported: ['bool', 'whether the number was moved to another carrier'],
    ...counts('this number'),
  },
  device: {
    fingerprint: ['string', 'fingerprint_hash of the device'],
    people: ['int', 'different people seen with the device within 30 days'],
    ...counts('this device'),
  },
  ip: {
    country: ['string', 'ISO 3166 code of the country of the address'],
    is_hosting: ['bool', 'whether the address belongs to a data center'],
    service: ['string', 'tor, vpn or proxy'],
    ...counts('this address'),
  },
  signals: {
    ...signalFacts(['domain_age', 'mx', 'disposable', 'velocity', 'phone', 'device', 'ip']),
    ...FINDINGS,
  },
  lists: LIST_FACTS,
} as const satisfies Readonly<Record<string, FactGroup>>

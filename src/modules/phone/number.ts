/**
 * Facts about a phone number from its numbering plan (libphonenumber, full metadata). In North
 * America, mobile and fixed numbers share their ranges, so the line type is unknown there.
 */
import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max'

export type LineType = 'mobile' | 'landline' | 'voip'

/** Numbers that people do not have: calls cost extra, or are paid by the person who is called. */
export type NumberService = 'premium_rate' | 'toll_free' | 'shared_cost'

export type NumberFacts = {
  readonly is_valid: boolean
  /** Whether the length fits the plan; false for valid numbers, and for texts that are no number */
  readonly is_unassigned: boolean
  readonly service: NumberService | null
  /** ISO 3166-1 alpha-2; null for invalid numbers and for numbers without a country (+800, +882). */
  readonly country_code: string | null
  readonly calling_code: string | null
  /** National significant number, digits only. */
  readonly national_number: string | null
  readonly line_type: LineType | null
}

const NOT_VALID: NumberFacts = {
  is_valid: false,
  is_unassigned: false,
  service: null,
  country_code: null,
  calling_code: null,
  national_number: null,
  line_type: null,
}

const E164 = /^\+[1-9][0-9]{1,14}$/

/** Never throws; a text that is not E.164 is invalid. */
export function describeNumber(e164: string): NumberFacts {
  if (!E164.test(e164)) return NOT_VALID
  const number = parsePhoneNumberFromString(e164)
  // A number that the parser rewrote (an extra trunk zero) is not the number that was sent.
  if (number === undefined || number.number !== e164) return NOT_VALID
  if (!number.isValid()) return { ...NOT_VALID, is_unassigned: number.isPossible() }
  const type = number.getType()
  return {
    is_valid: true,
    is_unassigned: false,
    service: serviceOf(type),
    country_code: number.country ?? null,
    calling_code: number.countryCallingCode,
    national_number: number.nationalNumber,
    line_type: lineTypeOf(type),
  }
}

function serviceOf(type: NumberType): NumberService | null {
  if (type === 'PREMIUM_RATE') return 'premium_rate'
  if (type === 'TOLL_FREE') return 'toll_free'
  return type === 'SHARED_COST' ? 'shared_cost' : null
}

function lineTypeOf(type: NumberType): LineType | null {
  switch (type) {
    case 'MOBILE':
    case 'PAGER':
      return 'mobile'
    case 'FIXED_LINE':
    case 'TOLL_FREE':
    case 'SHARED_COST':
    case 'PREMIUM_RATE':
    case 'UAN':
      return 'landline'
    case 'VOIP':
    case 'PERSONAL_NUMBER':
      return 'voip'
    case 'FIXED_LINE_OR_MOBILE':
    case 'VOICEMAIL':
    case undefined:
      return null
  }
}

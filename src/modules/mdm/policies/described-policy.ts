/**
 * `policy_json` as the API document describes it: Google's messages as components, with the rules of
 * `validation.ts`.
 */
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import { NEVER_ENFORCED, SET_BY_PROVIDER } from './validation.ts'

type Json = Record<string, unknown>

const ROOT = 'Policy'
const INT32_MAX = 2_147_483_647
const OUTPUT = 'output '

/** @returns the schema of a policy in a request, in which each message is a named schema */
export function describedPolicy({ messages }: ApiDescription): Json {
  const described = new Map<string, Json>()
  const messageOf = (name: string): Json => {
    const known = described.get(name)
    if (known) return known
    const members = Object.entries(messages[name] ?? {}).filter(
      ([member, type]) => !type.startsWith(OUTPUT) && !isSetByProvider(name, member),
    )
    const schema = {
      $id: `AndroidManagement${name}`,
      type: 'object',
      properties: Object.fromEntries(
        members.map(([member, type]) => [member, { ...typeOf(type), ...ruleOf(name, member) }]),
      ),
      additionalProperties: false,
      ...(REQUIRED[name] && { required: REQUIRED[name] }),
    }
    described.set(name, schema)
    return schema
  }
  const typeOf = (type: string): Json => {
    if (type.startsWith('[]')) return { type: 'array', items: typeOf(type.slice(2)) }
    if (type.startsWith('{}'))
      return { type: 'object', additionalProperties: typeOf(type.slice(2)) }
    if (type.startsWith('#')) return messageOf(type.slice(1))
    if (type.startsWith('enum ')) return { type: 'string', enum: type.split(' ').slice(1) }
    return SCALARS[type] ?? {}
  }
  const settings = Object.keys(messages[ROOT] ?? {}).filter(
    (name) => !NEVER_ENFORCED.includes(name),
  )
  const ruleOf = (name: string, member: string): Json | undefined =>
    `${name}.${member}` === 'PolicyEnforcementRule.settingName'
      ? { enum: settings }
      : RULES[`${name}.${member}`]
  return messageOf(ROOT)
}

const isSetByProvider = (name: string, member: string): boolean =>
  name === ROOT && SET_BY_PROVIDER.includes(member)

/** https://protobuf.dev/programming-guides/json/ */
const SCALARS: Readonly<Record<string, Json>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  int32: { type: 'integer', minimum: -INT32_MAX, maximum: INT32_MAX },
  int64: {
    type: ['string', 'integer'],
    pattern: '^-?[0-9]{1,19}$',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  timestamp: { type: 'string', format: 'date-time' },
  duration: { type: 'string', pattern: String.raw`^-?[0-9]{1,12}(\.[0-9]{1,9})?s$` },
  bytes: { type: 'string', pattern: '^[A-Za-z0-9+/_-]*={0,2}$' },
  object: { type: 'object', additionalProperties: true },
}

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  PolicyEnforcementRule: ['settingName', 'blockAction', 'wipeAction'],
  WipeAction: ['wipeAfterDays'],
}

const RULES: Readonly<Record<string, Json>> = {
  'BlockAction.blockAfterDays': { minimum: 0 },
  'WipeAction.wipeAfterDays': { minimum: 1, description: 'Greater than `blockAfterDays`' },
}

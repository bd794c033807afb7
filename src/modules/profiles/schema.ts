/** Request and response schemas of profiles (specification, "Profile"). */
import { type Static, Type } from 'typebox'
import {
  choice,
  IDENTIFIER_MAX_CHARS,
  type Limits,
  optionalText,
} from '../../platform/http/schemas.ts'
import { RISK_LEVELS } from '../risk/index.ts'
import { PROFILE_TYPES } from './state.ts'

const EXAMPLE = {
  profile: {
    id: '8f14e45f-ceea-467f-a0e1-3f2b8e6d1c07',
    external_id: 'customer-1',
    profile_type: 'customer',
    status: 'active',
    risk_score: 0,
    risk_level: 'low',
    device_count: 1,
    total_orders: 0,
  },
  is_new: true,
  device_linked: true,
  device_anomaly: null,
}

const profileRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  external_id: Type.String(),
  profile_type: choice(PROFILE_TYPES),
  status: choice(['active']),
  risk_score: Type.Integer({ minimum: 0, maximum: 100 }),
  risk_level: choice(RISK_LEVELS),
  device_count: Type.Integer({ minimum: 0 }),
  total_orders: Type.Integer({ minimum: 0 }),
})
export type ProfileRecord = Static<typeof profileRecord>

const upserted = Type.Object(
  {
    profile: profileRecord,
    is_new: Type.Boolean(),
    device_linked: Type.Boolean(),
    device_anomaly: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of a suspicious device pattern; null if there is none',
    }),
  },
  { $id: 'UpsertedProfile', examples: [EXAMPLE] },
)
export type UpsertedProfile = Static<typeof upserted>

export const profileSchemas = (limits: Limits) => {
  const hash = (description: string) =>
    optionalText({ maxLength: limits.text_max_chars, description })
  const request = Type.Object(
    {
      external_id: Type.String({
        minLength: 1,
        maxLength: IDENTIFIER_MAX_CHARS,
        description: 'Your user identifier, unique per organization',
      }),
      profile_type: Type.Optional(choice(PROFILE_TYPES)),
      fingerprint_hash: hash('Hash of the device fingerprint; links the device to the profile'),
      ip_hash: hash('Hashed IP address'),
      country_code: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z]{2}$',
          description: 'ISO 3166-1 alpha-2, in either case',
          'x-wanted': 'a country code in ISO 3166-1 alpha-2, such as DE',
        }),
      ),
      latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
      longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
    },
    {
      $id: 'ProfileRequest',
      examples: [{ external_id: 'customer-1', fingerprint_hash: 'f3a9c1', country_code: 'DE' }],
    },
  )
  return { request, upserted }
}

export type ProfileRequest = Static<ReturnType<typeof profileSchemas>['request']>

/** The product-level description of the OpenAPI document. */
import { describeAccess, securityOf } from '../modules/access/index.ts'
import type { OpenApiOptions } from '../platform/http/openapi.ts'

const DESCRIPTION = [
  'Fraud checks, order and cashier scoring, edge logs, device management, webhooks and push.',
  'Behavior that the contract leaves open is marked `x-open-point` and listed in docs/open-points.md.',
  '`null` in an optional member of a request is the same as leaving it out (OP-141). Times in requests',
  'may be in several forms of ISO 8601, in UTC unless they have a zone (OP-139).',
  '`x-body` gives the maximum size of a body in bytes. With `is_lenient`, its elements are validated',
  'one by one: rejected elements are counted, and the others are accepted.',
].join(' ')

const TAGS = [
  { name: 'Checks', description: 'Fraud checks on e-mails, phones and devices' },
  { name: 'Profiles', description: 'Customers, cashiers and other people known by an external ID' },
  { name: 'Orders', description: 'Orders and their fraud scores' },
  { name: 'Cashier', description: 'Cashier actions and their fraud scores' },
  { name: 'Edge', description: 'Logs of edge devices, the devices, and log alerts' },
  { name: 'RUM', description: 'Real user monitoring of browsers and apps' },
  {
    name: 'MDM',
    description: 'Android devices: policies, enrollment, commands, compliance, reports',
  },
  { name: 'Push', description: 'Push notifications for Android and Apple devices' },
  {
    name: 'Push for apps',
    description:
      'Operations outside of /v1 that apps call with a public key, and that report about messages to backends',
  },
  { name: 'Webhooks', description: 'Webhook endpoints and their deliveries' },
] as const

const SECURITY_SCHEMES = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'Secret key; a public key (pk_…) is only valid for POST /rum/events and the operations for apps',
    'x-open-point': 'OP-39',
  },
  public_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'Public key (pk_…), which can be part of an app',
    'x-open-point': 'OP-158',
  },
  public_key_in_query: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'Public key (pk_…), for browsers that cannot set headers',
    'x-open-point': 'OP-64',
  },
  portal: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of a signed-in user',
    'x-open-point': 'OP-36',
  },
} as const

export const API_DOCUMENT: Omit<OpenApiOptions, 'version' | 'base_url'> = {
  title: 'Vigil',
  description: DESCRIPTION,
  tags: TAGS,
  security_schemes: SECURITY_SCHEMES,
  describeAccess: (config) => ({
    security: securityOf(config),
    sentence: describeAccess(config),
  }),
}

/**
 * The OpenAPI 3.1 document, made from the schemas and the access declarations of the routes under
 * /v1, and the interactive reference at /docs. What lies outside /v1 is not part of the contract.
 */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema, RouteOptions } from 'fastify'
import type { Access } from './access.ts'
import type { App } from './app.ts'

export type OpenApiOptions = {
  version: string
  /** Where clients reach the service, ending with /v1. */
  base_url: string
}

declare module 'fastify' {
  interface FastifySchema {
    /** Points of docs/open-points.md that the operation rests on. */
    'x-open-point'?: string
    'x-body'?: DescribedBody
  }
}

/** What of the rules for bodies OpenAPI has no words for. */
type DescribedBody = {
  /** Before and after decompression. */
  max_bytes: number
  /** Elements are examined one by one. */
  is_lenient?: true
}

type Json = Record<string, unknown>

const PREFIX = '/v1'
const PLACEHOLDER = 'x-component'

const SECURITY: Record<Access, Record<string, string[]>[]> = {
  public: [],
  secret_key: [{ api_key: [] }],
  any_key: [{ api_key: [] }],
  portal: [{ portal: [] }],
}

const DESCRIPTION = [
  'Fraud checks, order and cashier scoring, edge logs, device management, webhooks and push. What the',
  'contract leaves open is marked `x-open-point` and listed in docs/open-points.md. `x-body` tells how',
  'many bytes a body may have, and with `is_lenient` that its elements are examined one by one: those',
  'that are refused are counted, and the others are taken.',
].join(' ')

const TAGS = [
  { name: 'Checks', description: 'Fraud checks on e-mails, phones and devices' },
  { name: 'Profiles', description: 'End users as the shop knows them' },
  { name: 'Orders', description: 'Orders and their fraud scores' },
  { name: 'Cashier', description: 'Actions at tills and their fraud scores' },
  { name: 'Edge', description: 'Logs of devices, the devices themselves, and alerts about them' },
  { name: 'RUM', description: 'Real-user monitoring: what happens in browsers and apps' },
  {
    name: 'MDM',
    description: 'Android devices: policies, enrolment, commands, compliance, reports',
  },
  { name: 'Push', description: 'Notifications for Android and Apple devices' },
  { name: 'Webhooks', description: 'Endpoints that are told what happened, and their deliveries' },
] as const

/** Where a public key may come in the URL. */
const KEY_IN_QUERY = { public_key_in_query: [] }

const SECURITY_SCHEMES = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'Secret key; a public key (pk_…) opens POST /rum/events only',
    'x-open-point': 'OP-39',
  },
  public_key_in_query: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'Public key (pk_…) of a browser that can set no header',
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

/** Beside the body of a route that takes it compressed. */
const CONTENT_ENCODING = {
  type: 'object',
  properties: {
    'Content-Encoding': {
      type: 'string',
      enum: ['identity', 'gzip'],
      default: 'identity',
      description: 'How the body is compressed',
    },
  },
} as const

/** Everything the page needs comes from this server; nothing else may load. */
const DOCS_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

export async function describeApi(app: App, options: OpenApiOptions): Promise<void> {
  const components: Json = {}
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Vigil',
        version: options.version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: options.base_url }],
      // Every operation names its own credential; this is what one that did not would ask for.
      security: SECURITY.portal,
      tags: [...TAGS],
      components: {
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    transform: ({ schema, url, route }) => {
      const { bodyLimit = app.initialConfig.bodyLimit ?? 0 } = route
      return describeRoute(schema, url, { ...route, bodyLimit }, components)
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const resolved = resolvePlaceholders(document.openapiObject) as Json
      const shared = (resolved['components'] ?? {}) as Json
      shared['schemas'] = resolvePlaceholders(components)
      return { ...resolved, components: shared }
    },
  })
  // A scope of its own: its routes are public, and its headers differ from those of the API.
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: DOCS_POLICY,
      uiConfig: { persistAuthorization: true, validatorUrl: null },
    })
  })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, (_, reply) =>
    reply.header('cache-control', 'no-cache').send(app.swagger()),
  )
}

function describeRoute(
  schema: FastifySchema | undefined,
  url: string,
  route: RouteOptions & { bodyLimit: number },
  components: Json,
): { schema: FastifySchema; url: string } {
  if (!url.startsWith(`${PREFIX}/`)) return { schema: { ...schema, hide: true }, url }
  const access = route.config?.access ?? 'public'
  const described = withPlaceholders({ ...schema }, components) as FastifySchema
  const alternative = route.config?.key_in_query === true ? [KEY_IN_QUERY] : []
  const security = [...SECURITY[access], ...alternative]
  const body = schema?.body === undefined ? {} : describeBody(route)
  return { schema: { ...described, ...body, security }, url: url.slice(PREFIX.length) }
}

function describeBody({ config, bodyLimit }: RouteOptions & { bodyLimit: number }): FastifySchema {
  const { accepts_text, accepts_gzip, is_lenient } = config?.body ?? {}
  return {
    ...(accepts_text === true && { consumes: ['application/json', 'text/plain'] }),
    ...(accepts_gzip === true && { headers: CONTENT_ENCODING }),
    'x-body': { max_bytes: bodyLimit, ...(is_lenient === true && { is_lenient }) },
  }
}

/** Named schemas become components, once each; their place is taken by a placeholder. */
function withPlaceholders(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => withPlaceholders(item, components))
  if (typeof value !== 'object' || value === null) return value
  const { $id, ...rest } = value as Json & { $id?: string }
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, item]) => [key, withPlaceholders(item, components)]),
  )
  if ($id === undefined) return copy
  components[$id] = copy
  return { [PLACEHOLDER]: $id }
}

/** The reference plugin would try to resolve references by itself, so they are put in last. */
function resolvePlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolvePlaceholders)
  if (typeof value !== 'object' || value === null) return value
  const name = (value as Json)[PLACEHOLDER]
  if (typeof name === 'string') return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolvePlaceholders(item)]),
  )
}

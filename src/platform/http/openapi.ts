/**
 * The OpenAPI 3.1 document, generated from the schemas and access declarations of the routes under
 * /v1 and of those that apps call (/sdk), and the interactive reference at /docs. No other routes are part of
 * the contract.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import { packageRoot } from '../package-root.ts'
import { type Described, withAbsentMembers } from './absent-members.ts'
import type { App } from './app.ts'
import { STORABLE_JSON, storableJson, withDocumented, withStorable } from './documented.ts'

type Components = NonNullable<NonNullable<FastifyDynamicSwaggerOptions['openapi']>['components']>

export type OpenApiOptions = {
  title: string
  version: string
  description: string
  /** Base URL of the API for clients, ending with /v1. */
  base_url: string
  tags: readonly { name: string; description: string }[]
  security_schemes: NonNullable<Components['securitySchemes']>
  /** Alternative security requirements of a route, and a sentence that describes them. */
  describeAccess: (config: FastifyContextConfig) => {
    security: Record<string, string[]>[]
    sentence: string | undefined
  }
}

declare module 'fastify' {
  interface FastifySchema {
    /** Entries of docs/open-points.md that the operation depends on. */
    'x-open-point'?: string
    'x-body'?: DescribedBody
  }
}

/** Rules for bodies that OpenAPI cannot express. */
type DescribedBody = {
  /** Limit before and after decompression. */
  max_bytes: number
  /** Elements are validated one by one. */
  is_lenient?: true
}

type Json = Record<string, unknown>

const PREFIX = '/v1'
/** Routes next to /v1. Their operations name the server themselves, because its base URL ends with /v1. */
const SDK_PREFIX = '/sdk'
const PLACEHOLDER = 'x-component'
const STORABLE = { [PLACEHOLDER]: STORABLE_JSON }

/** Header of routes that accept a compressed body. */
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

/** Folder of the built pages of the reference, from the root of the package. */
export const REFERENCE_PAGES = 'dist/reference-pages'

/** The page loads only resources of this server. */
const DOCS_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

export async function describeApi(app: App, options: OpenApiOptions): Promise<void> {
  const components: Json = {}
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: options.title,
        version: options.version,
        description: options.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: options.base_url }],
      // Every operation declares its own security; this is the default.
      security: [{ portal: [] }],
      tags: [...options.tags],
      components: { securitySchemes: options.security_schemes },
    },
    transform: ({ schema, url, route }) => {
      const { bodyLimit = app.initialConfig.bodyLimit ?? 0 } = route
      const { describeAccess } = options
      const sdk_url = options.base_url.replace(/\/v1$/, '')
      const shared = { components, describeAccess, sdk_url }
      return describeRoute(schema, url, { ...route, bodyLimit }, shared)
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const resolved = resolvePlaceholders(document.openapiObject) as Json
      const shared = (resolved['components'] ?? {}) as Json
      shared['schemas'] = resolvePlaceholders(components)
      return { ...resolved, components: shared }
    },
  })
  // A separate scope, whose routes are public and whose headers differ from those of the API.
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    const pages = join(packageRoot(), REFERENCE_PAGES)
    const logo = readFileSync(join(pages, 'logo.svg'))
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      baseDir: pages,
      logo: { type: 'image/svg+xml', content: logo },
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
  {
    components,
    describeAccess,
    sdk_url,
  }: Pick<OpenApiOptions, 'describeAccess'> & { components: Json; sdk_url: string },
): { schema: FastifySchema; url: string } {
  const isSdk = url.startsWith(`${SDK_PREFIX}/`)
  if (!isSdk && !url.startsWith(`${PREFIX}/`)) return { schema: { ...schema, hide: true }, url }
  const { security, sentence } = describeAccess(route.config ?? {})
  const description = [schema?.description, sentence].filter((text) => text !== undefined)
  const sent =
    schema?.body === undefined ? undefined : { body: sentBody(schema.body as Described, route) }
  if (sent) components[STORABLE_JSON] = storableJson(STORABLE)
  const stated = withDocumented({ ...schema, ...sent })
  const described = withPlaceholders(stated, components) as FastifySchema
  const body = sent === undefined ? {} : describeBody(route)
  return {
    schema: {
      ...described,
      ...body,
      ...(isSdk && { servers: [{ url: sdk_url }] }),
      security,
      description: description.join(' '),
    },
    url: isSdk ? url : url.slice(PREFIX.length),
  }
}

/** The body as its sender sees it. A lenient parser accepts every text. */
function sentBody(schema: Described, { config }: RouteOptions): Described {
  const { list, is_lenient } = config?.body ?? {}
  const body = withDocumented(withAbsentMembers(schema))
  if (is_lenient === true) return body
  const elements = list === undefined ? undefined : body.properties?.[list]
  if (list === undefined || !elements?.items) return withStorable(body, STORABLE)
  const items = withStorable(elements.items, STORABLE)
  const properties = { ...body.properties, [list]: { ...elements, items } }
  return withStorable({ ...body, properties }, STORABLE)
}

function describeBody({ config, bodyLimit }: RouteOptions & { bodyLimit: number }): FastifySchema {
  const { accepts_text, accepts_gzip, is_lenient, list } = config?.body ?? {}
  const isJudgedInParts = is_lenient === true || list !== undefined
  return {
    ...(accepts_text === true && { consumes: ['application/json', 'text/plain'] }),
    ...(accepts_gzip === true && { headers: CONTENT_ENCODING }),
    'x-body': { max_bytes: bodyLimit, ...(isJudgedInParts && { is_lenient: true }) },
  }
}

/** Collects each named schema once as a component and replaces it by a placeholder. */
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

/** References are inserted last, because the plugin would try to resolve them itself. */
function resolvePlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolvePlaceholders)
  if (typeof value !== 'object' || value === null) return value
  const name = (value as Json)[PLACEHOLDER]
  if (typeof name === 'string') return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolvePlaceholders(item)]),
  )
}

/**
 * Creates a file of `reference/` from an API discovery document of Google: the names, types and
 * enumerations of the methods and messages that Vigil uses, without descriptions.
 *
 *   node dist/scripts/api-description.js DISCOVERY.json METHOD,… EXTRA_SCHEMA,… > reference/NAME.json
 *
 * METHOD is an id of the document without the name of the API in front, such as
 * `enterprises.policies.patch`.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

type Property = {
  type?: string
  format?: string
  enum?: string[]
  $ref?: string
  items?: Property
  additionalProperties?: Property
  readOnly?: boolean
  repeated?: boolean
  location?: string
  pattern?: string
}
type Method = {
  id: string
  httpMethod: string
  flatPath?: string
  path: string
  parameters?: Record<string, Property>
  request?: { $ref: string }
  response?: { $ref: string }
}
type Resource = { methods?: Record<string, Method>; resources?: Record<string, Resource> }
type Discovery = Resource & {
  name: string
  revision: string
  schemas: Record<string, { properties?: Record<string, Property> }>
}

/** The result is read by `src/platform/google/api-description.ts`. */
export function describeApi(from: Discovery, wanted: readonly string[], extra: readonly string[]) {
  const methods = methodsIn(from).filter(({ id }) => wanted.includes(id.replace(/^\w+\./, '')))
  if (methods.length !== wanted.length) throw new Error('the document lacks a method')
  const messages: Record<string, Record<string, string>> = {}
  const add = (name: string): void => {
    if (messages[name]) return
    const properties = from.schemas[name]?.properties ?? {}
    messages[name] = Object.fromEntries(
      Object.entries(properties).map(([key, property]) => [key, typeOf(property)]),
    )
    for (const property of Object.values(properties)) referencesOf(property).forEach(add)
  }
  const described = methods.map((method) => {
    for (const part of [method.request, method.response]) if (part) add(part.$ref)
    const query = Object.entries(method.parameters ?? {}).filter(
      ([, { location }]) => location === 'query',
    )
    return {
      id: method.id.replace(/^\w+\./, ''),
      http: `${method.httpMethod} /${method.flatPath ?? method.path}`,
      query: Object.fromEntries(query.map(([key, property]) => [key, typeOf(property)])),
      request: method.request?.$ref ?? null,
      response: method.response?.$ref ?? null,
    }
  })
  extra.forEach(add)
  return { api: from.name, revision: from.revision, methods: described, messages }
}

const methodsIn = ({ methods = {}, resources = {} }: Resource): Method[] => [
  ...Object.values(methods),
  ...Object.values(resources).flatMap(methodsIn),
]

const FORMATS: Record<string, string> = {
  int64: 'int64',
  int32: 'int32',
  'google-datetime': 'timestamp',
  'google-duration': 'duration',
  byte: 'bytes',
}

function typeOf(property: Property): string {
  const { readOnly, repeated, enum: values, $ref, items, additionalProperties } = property
  const mark = readOnly === true ? 'output ' : ''
  if (repeated === true) return `${mark}[]${typeOf({ ...property, repeated: false })}`
  if (items) return `${mark}[]${typeOf(items)}`
  if (additionalProperties) return `${mark}{}${typeOf(additionalProperties)}`
  if ($ref !== undefined) return `${mark}#${$ref}`
  if (values) return `${mark}enum ${values.join(' ')}`
  return mark + (FORMATS[property.format ?? ''] ?? property.type ?? 'any')
}

function referencesOf({ $ref, items, additionalProperties }: Property): string[] {
  const inner = [items, additionalProperties].filter((part) => part !== undefined)
  return [...($ref === undefined ? [] : [$ref]), ...inner.flatMap(referencesOf)]
}

/** One line per method and message, so that changes are readable as a diff. */
function print({ api, revision, methods, messages }: ReturnType<typeof describeApi>): string {
  const names = Object.keys(messages).toSorted()
  return [
    `{"api":${JSON.stringify(api)},"revision":${JSON.stringify(revision)},"methods":[`,
    methods.map((method) => JSON.stringify(method)).join(',\n'),
    '],"messages":{',
    names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(messages[name])}`).join(',\n'),
    '}}',
  ].join('\n')
}

function main([file = '', methods = '', extra = '']: string[]): void {
  const document = JSON.parse(readFileSync(file, 'utf8')) as Discovery
  const described = describeApi(document, methods.split(','), extra.split(',').filter(Boolean))
  process.stdout.write(`${print(described)}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(process.argv.slice(2))
}

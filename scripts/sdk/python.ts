/**
 * Writes the types and the operations of the Python client. Python has no inline object types, so each
 * object inside of another one gets its name from both: `CheckResult` and its member `signals` become
 * `CheckResultSignals`.
 */
import type { Document, Member, NamedType, Operation, Type } from './document.ts'

const HEADER = '# Generated from docs/openapi.json by `npm run sdk`. Do not edit.\n'
const KEYWORDS = new Set(['from', 'not', 'in', 'is', 'class', 'import', 'global'])

/** Declarations of the objects that a type contains, innermost first, and its annotation. */
type Written = { annotation: string; classes: string[] }

/** @returns text of sdk/server-python/vigil_client/_types.py */
export function pythonTypes({ types, operations }: Document): string {
  const written = types.flatMap(namedClasses)
  const results = operations.flatMap(({ id, content }) =>
    content ? write(content, `${pascal(id)}Content`).classes : [],
  )
  return `${HEADER}"""The records and requests of the API, by the names of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

${[...written, ...results, ...types.flatMap(alias)].join('\n\n')}`
}

/** @returns text of sdk/server-python/vigil_client/_operations.py */
export function pythonOperations({ operations, batches, version }: Document): string {
  const rows = operations.map(
    (operation) => `    "${snake(operation.id)}": Operation(\n${fields(operation)}    ),`,
  )
  const maxima = batches.map(({ operation, max_items }) => {
    const max_bytes = operations.find(({ id }) => id === operation)?.body_max_bytes
    return `    "${snake(operation)}": (${max_items}, ${max_bytes}),`
  })
  return `${HEADER}"""The operations of the API as methods, and how each is sent."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from . import _types as t
from ._operation import Operation

API_VERSION = "${version}"

OPERATIONS: Dict[str, Operation] = {
${rows.join('\n')}
}

# Maximum number of elements and bytes of a request, of the operations that take a list.
BATCHES = {
${maxima.join('\n')}
}


class Operations:
    """Each method returns the \`content\` of the response, or raises a \`VigilError\`."""

    def _call(
        self,
        name: str,
        params: Dict[str, Any],
        body: Any = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        raise NotImplementedError

    def _stream(
        self, name: str, params: Dict[str, Any], timeout: Optional[float] = None
    ) -> Iterator[bytes]:
        raise NotImplementedError

${operations.map(method).join('\n')}`
}

function fields(operation: Operation): string {
  const { retry, query_members, page_member, has_idempotency_key, content } = operation
  const rows: [string, string][] = [
    ['method', quoted(operation.method)],
    ['path', quoted(operation.path)],
    ['credential', quoted(operation.credential)],
    ['repeat', quoted(retry.repeat)],
  ]
  if (retry.repeat === 'keyed') {
    rows.push(['key_member', quoted(retry.member)])
    if (retry.list !== undefined) rows.push(['key_list', quoted(retry.list)])
    if (retry.is_filled) rows.push(['is_key_filled', 'True'])
  }
  if (query_members.length > 0) {
    const names = query_members.map(({ name }) => quoted(name))
    rows.push(['query', `(${names.join(', ')},)`])
  }
  if (page_member !== undefined) rows.push(['records', quoted(page_member)])
  if (has_idempotency_key) rows.push(['has_idempotency_key', 'True'])
  if (!content) rows.push(['is_file', 'True'])
  return rows.map(([name, value]) => `        ${name}=${value},\n`).join('')
}

function method(operation: Operation): string {
  const { id, summary, path_members, query_members, body, content, retry } = operation
  const name = snake(id)
  const params = [...path_members, ...query_members].toSorted(
    (a, b) => Number(b.is_required) - Number(a.is_required),
  )
  const required = params.filter(({ is_required }) => is_required)
  const optional = params.filter(({ is_required }) => !is_required)
  const args = [
    'self',
    ...(body === undefined ? [] : [`body: t.${body}`]),
    '*',
    ...required.map((member) => `${argument(member.name)}: ${qualified(member.type, id)}`),
    ...optional.map(
      (member) => `${argument(member.name)}: Optional[${qualified(member.type, id)}] = None`,
    ),
    ...(operation.has_idempotency_key ? ['idempotency_key: Optional[str] = None'] : []),
    'timeout: Optional[float] = None',
  ]
  const result = content ? qualified(content, `${pascal(id)}Content`) : 'Iterator[bytes]'
  const values = params.map((member) => `"${member.name}": ${argument(member.name)}`)
  const call = [
    quoted(name),
    `{${values.join(', ')}}`,
    ...(body === undefined ? [] : ['body']),
    'timeout=timeout',
    ...(operation.has_idempotency_key ? ['idempotency_key=idempotency_key'] : []),
  ]
  const repetition = `Sent again after a failure: ${retry.repeat === 'never' ? 'no, because' : 'yes, because'} ${retry.reason}`
  const target = content ? '_call' : '_stream'
  const annotation = content ? `result: ${result} = ` : 'result = '
  return `    def ${name}(
${args.map((arg) => `        ${arg},\n`).join('')}    ) -> ${result}:
        """${summary}.

        ${repetition}
        """
        ${annotation}self.${target}(${call.join(', ')})
        return result
`
}

const namedClasses = ({ name, type, description }: NamedType): string[] =>
  type.kind === 'object'
    ? objectClasses(name, type.members, description)
    : write(type, name).classes

/** Aliases come after all classes, because Python evaluates them when the module is loaded. */
const alias = ({ name, type }: NamedType): string[] =>
  type.kind === 'object' ? [] : [`${name} = ${write(type, name).annotation}\n`]

function objectClasses(name: string, members: readonly Member[], description: string): string[] {
  const written = members.map((member) => ({
    ...member,
    ...write(member.type, `${name}${pascal(member.name)}`),
  }))
  const inner = written.flatMap(({ classes }) => classes)
  const required = written.filter(({ is_required }) => is_required)
  const optional = written.filter(({ is_required }) => !is_required)
  const documentation = description === '' ? '' : `    """${plain(description)}"""\n\n`
  if (optional.length === 0) {
    return [...inner, `class ${name}(TypedDict):\n${documentation}${body(required)}`]
  }
  if (required.length === 0) {
    return [...inner, `class ${name}(TypedDict, total=False):\n${documentation}${body(optional)}`]
  }
  return [
    ...inner,
    `class _${name}Required(TypedDict):\n${body(required)}`,
    `class ${name}(_${name}Required, total=False):\n${documentation}${body(optional)}`,
  ]
}

const body = (members: readonly { name: string; annotation: string; description: string }[]) =>
  members.length === 0
    ? '    pass\n'
    : members
        .map(({ name, annotation, description }) => {
          const comment = description === '' ? '' : `    # ${plain(description)}\n`
          return `${comment}    ${name}: ${annotation}\n`
        })
        .join('')

/** @param name of the class for an object that has none */
function write(type: Type, name: string): Written {
  switch (type.kind) {
    case 'scalar':
      return { annotation: SCALARS[type.name], classes: [] }
    case 'literal':
      return { annotation: `Literal[${constant(type.value)}]`, classes: [] }
    case 'ref':
      return { annotation: type.name, classes: [] }
    case 'list': {
      const item = write(type.item, `${name}Item`)
      return { ...item, annotation: `List[${item.annotation}]` }
    }
    case 'map': {
      const value = write(type.value, `${name}Value`)
      return { ...value, annotation: `Dict[str, ${value.annotation}]` }
    }
    case 'object':
      return type.members.length === 0
        ? { annotation: 'Dict[str, Any]', classes: [] }
        : { annotation: name, classes: objectClasses(name, type.members, '') }
    case 'union':
      return writeUnion(type.types, name)
  }
}

function writeUnion(types: readonly Type[], name: string): Written {
  const literals = types.flatMap((type) => (type.kind === 'literal' ? [constant(type.value)] : []))
  const objects = types.filter(({ kind }) => kind === 'object').length
  const others = types
    .filter(({ kind }) => kind !== 'literal')
    .map((type, index) => write(type, objects > 1 ? `${name}${index + 1}` : name))
  const annotations = [
    ...(literals.length > 0 ? [`Literal[${literals.join(', ')}]`] : []),
    ...others.map(({ annotation }) => annotation),
  ]
  const distinct = [...new Set(annotations)]
  const [only] = distinct
  return {
    annotation:
      distinct.length === 1 && only !== undefined ? only : `Union[${distinct.join(', ')}]`,
    classes: others.flatMap(({ classes }) => classes),
  }
}

const SCALARS = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  unknown: 'Any',
} as const

/** The annotation of a type in another module. */
const qualified = (type: Type, name: string): string =>
  write(type, name).annotation.replaceAll(
    /(?<!["\w])(?!(?:Union|List|Dict|Any|Literal|None)\b)([A-Z]\w+)\b(?!")/g,
    't.$1',
  )

const constant = (value: string | boolean): string =>
  typeof value === 'string' ? quoted(value) : value ? 'True' : 'False'

const quoted = (text: string): string => `"${text}"`
const plain = (text: string): string => text.replaceAll('\n', ' ').replaceAll('"""', "'''")
export const argument = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : snake(name))

/** `deliveryId` becomes `delivery_id`. */
export const snake = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** `event_id` and `eventId` become `EventId`. */
const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase())

/** Describes in words how a query was read, for the person who wrote it. */
import { withParticles } from './korean.ts'
import type { QueryReading } from './schema.ts'
import type { Condition, Glob, Node, Query, Text, TimeCondition } from './tree.ts'

export function readingOf({ node, notes }: Query): QueryReading {
  return { read_as: wordsOfNode(node), terms: termsOf(node, false), notes: [...notes] }
}

function termsOf(node: Node, is_excluded: boolean): QueryReading['terms'] {
  if (node.kind === 'not') return termsOf(node.node, !is_excluded)
  if (node.kind === 'and' || node.kind === 'or') {
    return node.nodes.flatMap((each) => termsOf(each, is_excluded))
  }
  const { start, end } = node
  return [{ start, end, meaning: meaningOf(node), is_excluded, words: searchedIn(node) }]
}

/** Particles and the rest of a word follow a `*`. */
function searchedIn(condition: Condition): string[] {
  if (condition.kind !== 'text') return []
  const [{ words, parts }] = condition.texts
  return [
    ...words.map((word) => (withParticles(word).length > 0 ? `${word}*` : word)),
    ...parts.map(({ at, text }) => `${at === 'start' ? '' : '*'}${text}${at === 'end' ? '' : '*'}`),
  ]
}

function wordsOfNode(node: Node): string {
  if (node.kind === 'not') return `NOT ${nested(node.node)}`
  if (node.kind === 'and') return node.nodes.map(nested).join(' AND ')
  if (node.kind === 'or') return node.nodes.map(nested).join(' OR ')
  return meaningOf(node)
}

const nested = (node: Node): string =>
  node.kind === 'and' || node.kind === 'or' ? `(${wordsOfNode(node)})` : wordsOfNode(node)

function meaningOf(condition: Condition): string {
  switch (condition.kind) {
    case 'text':
      return textMeaning(condition.texts[0])
    case 'level':
      return condition.levels.length === 0 ? 'no level' : `level ${condition.levels.join(' or ')}`
    case 'value':
      return `${condition.field} ${globMeaning(condition.glob)}`
    case 'part':
      return `${condition.field} contains ${quoted(condition.glob.slice(1, -1).join('*'))}`
    case 'has':
      return `has ${condition.field}`
    case 'data-has':
      return `has data.${condition.path}`
    case 'data-compared':
      return `data.${condition.path} ${condition.comparison} ${condition.number}`
    case 'data':
      return `data.${condition.path} ${globMeaning(condition.glob)}`
    case 'time':
      return timeMeaning(condition)
  }
}

const globMeaning = (glob: Glob): string =>
  glob.length === 1 ? `= ${quoted(glob.join(''))}` : `like ${quoted(glob.join('*'))}`

const PART_NAMES = { start: 'beginning with', end: 'ending with', anywhere: 'containing' }

function textMeaning({ words, phrases, parts }: Text): string {
  const inPhrases = new Set(phrases.flat())
  const single = words.filter((word) => !inPhrases.has(word))
  return [
    ...(single.length > 0 ? [`word${single.length > 1 ? 's' : ''} ${quotedList(single)}`] : []),
    ...phrases.map((phrase) => `phrase ${quoted(phrase.join(' '))}`),
    ...parts.map(({ at, text }) => `word ${PART_NAMES[at]} ${quoted(text)}`),
  ].join(' and ')
}

/** Days and times without a zone are in UTC. */
function timeMeaning({ period, comparison, label }: TimeCondition): string {
  if ('ago_ms' in period) {
    const length = label.replace('-', '')
    return comparison ? `time ${comparison} ${length} ago` : `time within the last ${length}`
  }
  return `time ${comparison ?? '='} ${label}${HAS_ZONE.test(label) ? '' : ' (UTC)'}`
}
const HAS_ZONE = /\d[tT ].*(?:[zZ]|[+-]\d\d(?::?\d\d)?)$/

const quoted = (text: string): string => `“${text}”`
const quotedList = (words: readonly string[]): string =>
  words
    .map((word) => quoted(word) + (withParticles(word).length > 0 ? ' (or with a particle)' : ''))
    .join(', ')

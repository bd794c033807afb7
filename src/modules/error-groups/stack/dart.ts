/** Reads stacks of Dart and Flutter, in the long form (`#0 f (uri:1:2)`) and the terse (`uri 1:2  f`). */
import { type Frame, fileStem, type ParsedStack, withoutPosition } from './frame.ts'
import { isAppDart } from './in-app.ts'

export function readDart(lines: readonly string[]): ParsedStack {
  return { is_cause: false, frames: lines.flatMap((line) => readFrame(line.trim())) }
}

/** Recognizes `#1      Cart.add (package:shop/cart.dart:3:7)`. */
export const isDartFrame = (text: string): boolean =>
  text.endsWith(')') && (text.includes('.dart:') || text.includes(' (dart:'))

export const isTerseDartFrame = (text: string): boolean =>
  (text.startsWith('package') || text.startsWith('dart')) &&
  TERSE_ROOTS.some((root) => text.startsWith(root)) &&
  text.includes('  ')

/** The last two are the form of Flutter for the web in development. */
const TERSE_ROOTS = ['package:', 'dart:', 'packages/', 'dart-sdk/']

function readFrame(text: string): Frame[] {
  if (text.startsWith('#') && isDartFrame(text)) {
    const open = text.lastIndexOf('(')
    const space = text.indexOf(' ')
    return [frameOf(text.slice(space, open).trim(), withoutPosition(text.slice(open + 1, -1)))]
  }
  if (!isTerseDartFrame(text)) return []
  const name = text.slice(text.lastIndexOf('  ') + 2)
  const uri = text.slice(0, text.indexOf(' '))
  if (uri.startsWith('packages/')) return [frameOf(name, `package:${uri.slice(9)}`)]
  return [frameOf(name, uri.startsWith('dart-sdk/') ? `dart:${uri}` : uri)]
}

function frameOf(member: string, uri: string): Frame {
  const closure = member.indexOf('.<')
  const name = closure < 0 ? member : member.slice(0, closure)
  const isNew = name.startsWith('new ')
  return { place: fileStem(uri), name: isNew ? name.slice(4) : name, is_app: isAppDart(uri) }
}

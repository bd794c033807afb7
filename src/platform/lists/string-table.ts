/** Strings in one buffer of UTF-8 bytes, addressed by index and decoded on demand. */
import { asUint32, bytesOf, type Sections, sectionOf } from './sections.ts'

export type StringTable = {
  readonly size: number
  /** The string at this index, or undefined past the end. */
  at(index: number): string | undefined
}

/** Packs into sections `<prefix>_text` and `<prefix>_ends`. */
export function packStrings(prefix: string, strings: readonly string[]): Sections {
  const ends = new Uint32Array(strings.length)
  const parts: Buffer[] = []
  let end = 0
  for (const [index, text] of strings.entries()) {
    const part = Buffer.from(text)
    parts.push(part)
    end += part.byteLength
    ends[index] = end
  }
  return { [`${prefix}_text`]: Buffer.concat(parts), [`${prefix}_ends`]: bytesOf(ends) }
}

export function openStrings(prefix: string, sections: Sections): StringTable {
  const section = sectionOf(sections, `${prefix}_text`)
  const text = Buffer.from(section.buffer, section.byteOffset, section.byteLength)
  const ends = asUint32(sectionOf(sections, `${prefix}_ends`))
  return {
    size: ends.length,
    at: (index) => {
      const end = ends[index]
      if (end === undefined) return undefined
      return text.toString('utf8', index === 0 ? 0 : ends[index - 1], end)
    },
  }
}

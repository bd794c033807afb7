/**
 * The pages for teams fit on two screens of 1440 × 900 pixels. Heights are estimated for text of 16 pixels in a column of
 * 980 pixels, which agrees with a rendering in a browser within a tenth.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'

const TWO_SCREENS_PX = 1800
const COLUMN_CHARS = 130
const LINE_PX = 24
const GAP_PX = 16
const TITLE_PX = 66
const HEADING_PX = 63
const CODE_LINE_PX = 19.7
const CODE_FRAME_PX = 48
const CELL_FRAME_PX = 13
const ITEM_GAP_PX = 4

const docs = join(packageRoot(), 'docs')
const pages = readdirSync(docs).filter((name) => /^for-.*-teams\.md$/.test(name))

const shownOf = (text: string): string =>
  text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')

const linesOf = (text: string): number => Math.ceil(shownOf(text).length / COLUMN_CHARS)

/** Columns share the width as their texts need it, so a row has about as many lines as its text in one column. */
function tableHeight(block: string): number {
  const [head = '', , ...body] = block.split('\n')
  return [head, ...body].reduce((sum, row) => {
    return sum + CELL_FRAME_PX + LINE_PX * linesOf(row)
  }, GAP_PX)
}

function heightOf(block: string): number {
  if (block.startsWith('```')) return (block.split('\n').length - 2) * CODE_LINE_PX + CODE_FRAME_PX
  if (block.startsWith('# ')) return TITLE_PX
  if (block.startsWith('#')) return HEADING_PX
  if (block.startsWith('|')) return tableHeight(block)
  if (/^(?:\d+\.|-) /.test(block)) {
    const items = block.split(/\n(?=(?:\d+\.|-) )/)
    return items.reduce((sum, item) => sum + LINE_PX * linesOf(item) + ITEM_GAP_PX, GAP_PX)
  }
  return LINE_PX * linesOf(block) + GAP_PX
}

/** Blocks are separated by empty lines; those of code contain some. */
const blocksOf = (page: string): string[] =>
  [...page.matchAll(/^```[\s\S]*?^```$|^(?!\n)(?:(?!```).+\n?)+/gm)].map(([block]) =>
    block.trimEnd(),
  )

describe('the pages for teams', () => {
  it('exist for web, app, backend and platform teams', () => {
    expect(pages.toSorted()).toEqual([
      'for-app-teams.md',
      'for-backend-teams.md',
      'for-platform-teams.md',
      'for-web-teams.md',
    ])
  })

  it.each(pages)('%s fits on two screens', (name) => {
    const blocks = blocksOf(readFileSync(join(docs, name), 'utf8'))
    const height = blocks.reduce((sum, block) => sum + heightOf(block), 0)
    expect(height).toBeGreaterThan(TWO_SCREENS_PX / 2)
    expect(height).toBeLessThan(TWO_SCREENS_PX)
  })
})

/** What a page still holds in its memory, however it is kept there. */
import type { Page } from 'playwright-core'

/** @returns whether some string that can still be reached has the text in it */
export async function remembers(page: Page, text: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  // Collects what nothing refers to before it looks.
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return chunks.join('').includes(text)
}

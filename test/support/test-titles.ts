/** Matches a test or a group in formatted source. */
const TITLE = /^( *)(?:(describe|it|test)\b[^'"`]*|[\])}]+)\(\s*(['"`])(.*?)\3/
/** Matches a table on the line of its title: `it.each(['a', 'b'])('%s …'`. */
const TABLE = /\.each(?:<.*?>)?\(\[.*?\](?: as const)?\)/

/** Titles of tests with those of their groups: `a key > is shown once`. */
export function titlesIn(text: string): string[] {
  const titles: string[] = []
  let groups: { indent: number; title: string }[] = []
  let kind = 'it'
  for (const line of joined(text)) {
    const [, indent = '', word, , title] = TITLE.exec(line.replace(TABLE, '')) ?? []
    const opening = /^ *(describe|it|test)\b/.exec(line)?.[1]
    if (opening !== undefined) kind = opening
    if (title === undefined) continue
    groups = groups.filter((group) => group.indent < indent.length)
    const path = [...groups.map((group) => group.title), title]
    if ((word ?? kind) === 'describe') groups.push({ indent: indent.length, title })
    else titles.push(path.join(' > '))
  }
  return titles
}

/** Joins calls whose first argument is on the next line. */
const joined = (text: string): string[] => text.replaceAll(/\(\n\s+(?=['"`])/g, '(').split('\n')

/** The titles of tests, read from the source as the formatter lays it out. */
const TITLE = /^( *)(?:(describe|it|test)\b[^'"`]*|[\])}]+)\(\s*(['"`])(.*?)\3/
/** A table on the line of its title: `it.each(['a', 'b'])('%s …'`. */
const TABLE = /\.each(?:<.*?>)?\(\[.*?\](?: as const)?\)/

/** Titles with those of the groups around them: `a key > is shown once`. */
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

/** A call whose first argument stands on the next line, on one line. */
const joined = (text: string): string[] => text.replaceAll(/\(\n\s+(?=['"`])/g, '(').split('\n')

import { expect, it } from 'vitest'
import { readCsv } from './csv.ts'

it('reads quotes, commas and line breaks inside of fields, and empty fields', () => {
  const text = 'Content,EventId,EventTemplate\r\n"a, ""b""\nc",E1,\r\nplain,E2,"<*>"\n'
  expect(readCsv(text)).toEqual([
    { Content: 'a, "b"\nc', EventId: 'E1', EventTemplate: '' },
    { Content: 'plain', EventId: 'E2', EventTemplate: '<*>' },
  ])
})

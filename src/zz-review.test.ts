import { it } from 'vitest'
import { groupError, messageTemplate } from './modules/error-groups/index.ts'
const N = 65536
const pieces = ['a','1','.',' ','/','\\','(',')','at ','at a (b.js:1:2)\n','\n','    at ','"','\'','0x','-',':','{','[','<','=',',','a.b.','1.1.1.1','::','f','é','\u0301\u0316','😀','File "a", line 1, in b\n','Caused by: x\n','#0 ','@','http://','a@b.js:1:2\n','goroutine 1 [running]:\n','...','%','$','_','A','aB','T12:','2026-01-01','\t','\r\n','e+','\u0000','((((', 'anonymous', ' in ', 'line 1', ' --- ', 'in a.b() in /x.cs:line 3\n','package:a/b.dart 1:2 c\n', '<*> ', 'a=', '|', ';']
it('times', () => {
  const slow: [string, number][] = []
  const run = (s: string) => {
    const m = s.repeat(Math.ceil(N / s.length)).slice(0, N)
    for (const f of [{ message: m }, { message: 'x', stack: m }, { message: 'x', stack: `Error: x\n    at a (b.js:1:2)\n${m}` }, { message: m, type: 'T', code: 'c', stack: m }]) {
      const t = performance.now()
      groupError(f)
      messageTemplate(f.message)
      const d = performance.now() - t
      if (d > 60) slow.push([JSON.stringify(s), Math.round(d)])
    }
  }
  for (const a of pieces) run(a)
  for (const a of pieces) for (const b of pieces) if (Math.random() < 0.25) run(a + b)
  slow.sort((a, b) => b[1] - a[1])
  console.log(slow.slice(0, 20))
}, 300000)

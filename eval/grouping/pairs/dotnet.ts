/** Pairs of .NET errors, Unity included. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const service = (root: string, line: number, machine = 12) =>
  thrown('System.InvalidOperationException', `Basket ${line} is empty`, [
    `System.InvalidOperationException: Basket ${line} is empty`,
    `   at Acme.Shop.Baskets.BasketService.<CheckoutAsync>d__${machine}.MoveNext() in ${root}BasketService.cs:line ${line}`,
    '--- End of stack trace from previous location ---',
    '   at System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)',
    `   at Acme.Shop.Api.BasketController.Post(BasketRequest request) in ${root}BasketController.cs:line ${line + 9}`,
    '   at Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor.Execute(Object controller)',
  ])

const modernAsync = thrown('System.InvalidOperationException', 'Basket 1 is empty', [
  'System.InvalidOperationException: Basket 1 is empty',
  '   at Acme.Shop.Baskets.BasketService.CheckoutAsync(Guid id) in /src/BasketService.cs:line 50',
  '   at Acme.Shop.Api.BasketController.Post(BasketRequest request) in /src/BasketController.cs:line 70',
])

const inner = (outer: string, type: string, place: string) =>
  thrown('Acme.JobException', outer, [
    `Acme.JobException: ${outer}`,
    ` ---> ${type}: deep down`,
    `   at Acme.Jobs.${place}() in C:\\build\\Jobs.cs:line 8`,
    '   --- End of inner exception stack trace ---',
    '   at Acme.Jobs.Runner.Run(Job job) in C:\\build\\Runner.cs:line 30',
    '   at Acme.Program.Main(String[] args) in C:\\build\\Program.cs:line 3',
  ])

const lambda = (compiled: string) =>
  thrown('System.NullReferenceException', 'Object reference not set to an instance of an object.', [
    'System.NullReferenceException: Object reference not set to an instance of an object.',
    `   at Acme.Reports.Builder.${compiled}(Row row)`,
    '   at System.Linq.Enumerable.SelectArrayIterator`2.ToList()',
    '   at Acme.Reports.Builder.Build(IEnumerable`1 rows)',
  ])

const unity = (line: number, method: string) =>
  thrown('NullReferenceException', 'Object reference not set to an instance of an object', [
    'NullReferenceException: Object reference not set to an instance of an object',
    `PlayerController.${method} (UnityEngine.Collider other) (at Assets/Scripts/PlayerController.cs:${line})`,
    `Level.Tick () (at Assets/Scripts/Level.cs:${line + 4})`,
  ])

const sql = (number: number, caller: string) =>
  thrown('Microsoft.Data.SqlClient.SqlException', 'Timeout expired.', [
    'Microsoft.Data.SqlClient.SqlException (0x80131904): Timeout expired.',
    '   at Microsoft.Data.SqlClient.SqlConnection.OnError(SqlException exception, Boolean breakConnection)',
    `   at Acme.Data.${caller}(Int32 id)`,
    `ClientConnectionId:9f1b-${number}`,
  ])

export const DOTNET_PAIRS: readonly ErrorPair[] = [
  same('frames in German', modernAsync, {
    ...modernAsync,
    stack: modernAsync.stack?.replaceAll('   at ', '   bei ').replaceAll(':line ', ':Zeile '),
  }),
  same(
    'other build machine and lines',
    service('C:\\agent\\_work\\7\\s\\', 50),
    service('/home/vsts/agent/1/s/', 61),
  ),
  same(
    'state machines are numbered by the compiler',
    service('/src/', 50, 12),
    service('/src/', 50, 14),
  ),
  same('async frames before and after .NET 9', service('/src/', 50), modernAsync),
  same('with and without debug information', modernAsync, {
    ...modernAsync,
    stack: modernAsync.stack?.replaceAll(/ in \/src\/\w+\.cs:line \d+/g, ''),
  }),
  same(
    'lambdas are numbered by the compiler',
    lambda('<>c__DisplayClass4_0.<Build>b__1'),
    lambda('<>c__DisplayClass7_0.<Build>b__0'),
  ),
  same(
    'the same inner exception',
    inner('Job 4 failed', 'System.FormatException', 'Rates.Parse'),
    inner('Nightly run failed', 'System.FormatException', 'Rates.Parse'),
  ),
  same('Unity, other line', unity(10, 'OnTriggerEnter'), unity(19, 'OnTriggerEnter')),
  same('connection ids', sql(1, 'Orders.Load'), sql(2, 'Orders.Load')),
  same(
    'generic arguments and overloads of one method',
    thrown('System.ArgumentException', 'key', [
      '   at Acme.Cache.Get[TKey](TKey key)',
      '   at Acme.Api.Find(String id)',
    ]),
    thrown('System.ArgumentException', 'key', [
      '   at Acme.Cache.Get[TKey,TValue](TKey key, TValue value)',
      '   at Acme.Api.Find(Int64 id)',
    ]),
  ),
  different(
    'other inner exception',
    inner('Job failed', 'System.FormatException', 'Rates.Parse'),
    inner('Job failed', 'System.IO.IOException', 'Export.Write'),
  ),
  different(
    'same inner place, other type',
    inner('Job failed', 'System.FormatException', 'Rates.Parse'),
    inner('Job failed', 'System.OverflowException', 'Rates.Parse'),
  ),
  different(
    'same words of a null reference',
    lambda('<>c.<Build>b__0_0'),
    thrown(
      'System.NullReferenceException',
      'Object reference not set to an instance of an object.',
      ['   at Acme.Users.Mapper.Map(User user)', '   at Acme.Users.Controller.Get(Int32 id)'],
    ),
  ),
  different('Unity, other method', unity(10, 'OnTriggerEnter'), unity(10, 'OnTriggerExit')),
  different('same driver, other query', sql(1, 'Orders.Load'), sql(1, 'Users.Load')),
]

import type { Endpoint } from '@hufu/contract/endpoint'
import { calls, leads } from '@hufu/contract/endpoints'
import type { CallExample } from '@hufu/contract/examples/example'
import { examples } from '@hufu/contract/examples/examples'
import { servedFiles } from '@hufu/contract/files'
import { failureExamples, failureSchemas } from './failures.ts'
import { oidcPathItems } from './oidc.ts'
import { oidcSchemas } from './oidc-schemas.ts'
import { callOperation, fileOperation, navigationOperation } from './operations.ts'
import { Schemas } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { tagsOf } from './tags.ts'

type PathItem = Record<string, { tags: string[] }>

const description = `Account centre with a merchant back-office.

**Envelope.** A call that succeeds answers 200 with \`{"data": …}\`. Every failure has the body \`Failure\`: a stable \`code\`, a sentence for the
user in Chinese, and \`details\` where there are any. Each response lists the codes that it can have. Callers decide by \`code\`, never by
\`message\`, and treat an unknown code by its status.

**Times** are milliseconds since 1970 (UTC) unless a field says otherwise. Replies may get new fields at any time: ignore unknown ones.

**Origin.** Calls of pages are only answered to the site's own pages: browsers send \`Sec-Fetch-Site: same-origin\`, other callers send the
site's own \`Origin\`. Anything else is refused with \`ORIGIN_REFUSED\` (403).

**Limits.** A refusal with 429 or 503 has the header \`Retry-After\`, in seconds.

**Bodies** are JSON with \`content-type: application/json\`; a call without input takes no body. Every answer has \`X-Request-Id\`.`

/** The paths of the contract; those with names in them in the notation of OpenAPI. */
function contractPaths(schemas: Schemas): Record<string, PathItem> {
  const given = examples as Record<string, CallExample>
  const operations = [
    ...Object.entries<Endpoint>(calls).map(([name, call]) => [
      call.path.replace(/:(\w+)/g, '{$1}'),
      call.method.toLowerCase(),
      callOperation(name, call, schemas, given[name] ?? { output: null }),
    ]),
    ...Object.entries(leads).map(([name, lead]) => [lead.path, 'get', navigationOperation(name, lead, schemas)]),
    ...Object.entries(servedFiles).map(([name, file]) => [file.path, 'get', fileOperation(name, file, schemas)]),
  ] as [path: string, method: string, operation: PathItem[string]][]
  const paths: Record<string, PathItem> = {}
  for (const [path, method, operation] of operations) paths[path] = { ...paths[path], [method]: operation }
  return paths
}

/** The API as an OpenAPI 3.1 document, of this release. */
export function openApiDocument(version: string): object {
  const schemas = new Schemas()
  const paths = { ...contractPaths(schemas), ...oidcPathItems }
  const used = new Set(
    Object.values<PathItem>(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hufu',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The host of the site.' }],
    tags: tagsOf(used),
    paths,
    components: {
      securitySchemes,
      headers: {
        RequestId: { description: 'Names the request in the log.', schema: { type: 'string' } },
        ETag: {
          description: 'Of this state of the resource; a change may send it as `If-Match`.',
          schema: { type: 'string' },
        },
        RateLimitLimit: { description: 'Calls in a window.', schema: { type: 'integer' } },
        RateLimitRemaining: { description: 'Calls left in this window.', schema: { type: 'integer' } },
        RateLimitReset: { description: 'Seconds until the next window.', schema: { type: 'integer' } },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
      },
      examples: failureExamples(),
      schemas: { ...failureSchemas, ...oidcSchemas, ...schemas.all },
    },
  }
}

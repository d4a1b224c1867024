import { request } from '@playwright/test'
import { signInOperator } from '../run/demo-operator.ts'
import { type DemoProduct, startDemo, stopAll } from '../run/demo-product.ts'
import { buildWeb, stopOnSignal } from '../run/product.ts'
import { readBrands, withPictures } from './brands.ts'
import { operatorCalls } from './operator.ts'

// node tools/brands/show.ts name: the demo with one of examples/brands, until it is stopped.
const [brand, ...others] = readBrands(process.argv.slice(2))
if (!brand || others.length > 0) throw new Error('name one brand')

await buildWeb()
const parts: DemoProduct['parts'] = []
stopOnSignal(() => stopAll(parts))
try {
  const { addresses } = await startDemo(parts)
  const operator = await request.newContext()
  await signInOperator(operator, addresses)
  const { handOver, wear } = operatorCalls(operator, addresses.web)
  await wear(await withPictures(brand, handOver))
  await operator.dispose()
  console.log(JSON.stringify(addresses))
} catch (error) {
  console.error(error)
  await stopAll(parts)
  process.exit(1)
}

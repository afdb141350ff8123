import path from 'node:path';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
const [tree='', kind='json32', msS='6000'] = process.argv.slice(2);
const { load } = await import('/work/main/bench/load.ts');
const { childrenOf } = await import('/work/main/test/support/processes.ts');
const [folder='', vars='']=tree.split('@');
for (const e of vars.split('&').filter(Boolean)) { const [n,v]=e.split(/=(.*)/s); process.env[n!]=v; }
const { startProxied, requestsOf } = await import(pathToFileURL(path.resolve(folder,'bench/proxied.ts')).href);
const p = await startProxied();
const streams = kind.startsWith('sse'); const connections = Number(kind.replace(/\D/g,''));
const reqs = requestsOf(p.callers,{streams});
const request=(c:number)=>reqs[c%reqs.length];
const server=p.replicas[0].pid;
function tree_(pid:number):number[]{ return [pid,...childrenOf(pid).flatMap(tree_)]; }
const upstream = childrenOf(process.pid).filter((x:number)=>fs.readFileSync(`/proc/${x}/cmdline','utf8`.replace("','utf8",''),'utf8').includes('instant-upstream'))[0];
function sched(pid:number){ const out:Record<string,[number,number,number]>={}; for(const t of fs.readdirSync(`/proc/${pid}/task`)){ try{ const [a,b,c]=fs.readFileSync(`/proc/${pid}/task/${t}/schedstat`,'utf8').split(' ').map(Number); const name=fs.readFileSync(`/proc/${pid}/task/${t}/comm`,'utf8').trim(); out[t+':'+name]=[a!/1e3,b!/1e3,c!]; }catch{} } return out; }
function stat(){ const f=fs.readFileSync('/proc/stat','utf8').split('\n')[0]!.split(/\s+/).slice(1).map(Number); return {idle:(f[3]!+f[4]!)*1e4, steal:f[7]!*1e4, total:f.slice(0,8).reduce((a,b)=>a+b,0)*1e4}; }
await load({port:p.replicas[0].port,connections,durationMs:9000,request});
const groups:Record<string,number[]>={server:[server],pg:tree_(p.databasePid),upstream:[upstream],loader:[process.pid]};
const snap=()=>Object.fromEntries(Object.entries(groups).map(([g,pids])=>[g,Object.assign({},...pids.map(x=>{const s=sched(x);return Object.fromEntries(Object.entries(s).map(([k,v])=>[x+'/'+k,v]))}))]));
const s0=stat(), a=snap(); const r=await load({port:p.replicas[0].port,connections,durationMs:Number(msS),request}); const b=snap(), s1=stat();
console.log('calls/s',r.perSecond.toFixed(0),'p50',r.p50Ms.toFixed(2),'wall/call us',(1e6/r.perSecond).toFixed(1),'steal/call',((s1.steal-s0.steal)/r.calls).toFixed(1),'idle/call',((s1.idle-s0.idle)/r.calls).toFixed(1),'of',((s1.total-s0.total)/r.calls).toFixed(1));
for(const g of Object.keys(groups)){ let run=0,wait=0,sw=0; const parts:string[]=[]; for(const [k,v] of Object.entries(b[g]) as any){ const o=a[g][k]??[0,0,0]; const dr=(v[0]-o[0])/r.calls,dw=(v[1]-o[1])/r.calls; run+=dr;wait+=dw;sw+=v[2]-o[2]; if(dr>1.5) parts.push(`${k} ${dr.toFixed(1)}+${dw.toFixed(1)} (${((v[2]-o[2])/r.calls).toFixed(2)})`);} console.log(g.padEnd(9),'run',run.toFixed(1),'wait',wait.toFixed(1),'|',parts.join('; ')); }
await p.stop(); process.exit(0);

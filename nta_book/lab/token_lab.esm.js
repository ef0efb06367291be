// The Token Lab, joined from nta_book/lab/parts: change the parts, not this file.
const CSS=".nta-lab{--ink:var(--nta-ink,var(--jp-content-font-color1,#1B1F24));--muted:var(--nta-muted,var(--jp-content-font-color2,#5C6670));--line:var(--nta-line,var(--jp-border-color1,#C9CED6));--paper:var(--pst-color-background,var(--nta-paper,var(--jp-layout-color1,#fff)));--soft:color-mix(in srgb,var(--ink) 6%,var(--paper));--win:var(--nta-winner,#D55E00);--in:var(--nta-input,#5F6B7A);--last:var(--nta-last,#CC79A7);--l1:var(--nta-league-1,#0072B2);--l2:var(--nta-league-2,#009E73);--l3:var(--nta-league-3,#B97F00);--l4:var(--nta-league-4,#66758A);--prac:var(--nta-practice,#3A93C8);--mono:.9rem/1.5 ui-monospace,monospace;container-type:inline-size;position:relative;color:var(--ink);font:.94rem/1.45 system-ui,sans-serif;margin:.5rem 0;& *{box-sizing:border-box}& :is(p,ol,ul,h3,figure,table){margin:0;padding:0;list-style:none;color:inherit}& h3{font:650 1.02rem/1.4 system-ui,sans-serif;flex:1}& :is(button,select,input,textarea){font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.25rem .6rem;min-height:2.1rem}& :is(button,select){cursor:pointer;&:hover{border-color:var(--ink)}&:disabled{opacity:.4;cursor:default}}&:focus{outline:none}& :focus-visible{outline:2.5px solid var(--l1);outline-offset:1px}& [aria-pressed=true]{background:var(--ink);color:var(--paper);border-color:var(--ink)}.nl-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.nl-bar,.nl-row,.nl-trackrow,.nl-answer{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.35rem 0}.nl-go{background:var(--ink);color:var(--paper);border-color:var(--ink);font-weight:650;min-width:6.2rem}.nl-pick{display:inline-flex;gap:.35rem;align-items:center}.nl-legend,.nl-pick > span,.nl-meter > span,.nl-plot > p,.nl-comment,figcaption span{color:var(--muted);font-size:.86em}& input[type=range]{accent-color:var(--l1);padding:0;width:6.5rem;border:0;background:none}.nl-words{min-height:3em;margin:.6rem 0;padding-left:.7rem;border-left:4px solid var(--l1);&.nl-alarm{border-color:var(--win)}}}[data-jp-theme-light=false] .nta-lab{--win:#F5853F;--in:#9AA7B8;--last:#E29BC4;--l1:#4DA6DF;--l2:#2CC49A;--l3:#E69F00;--l4:#A3B1C6;--prac:#56B4E9}@media (pointer:coarse){.nta-lab :is(button,select,input){min-height:44px}}.nta-lab{.nl-float{position:sticky;bottom:.6rem;float:right;z-index:5}.nl-stage{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.5rem .7rem;background:var(--soft);border-radius:12px;& .nl-bar{margin:0}}.nl-meters{display:flex;gap:1rem;flex:1 1 16rem}.nl-meter{flex:1 1 0;min-width:0;font-variant-numeric:tabular-nums;& b,& svg{display:block;width:100%}& svg{height:28px}}.nl-spark{fill:none;stroke:var(--prac);stroke-width:2;vector-effect:non-scaling-stroke}.nl-sparkgoal{stroke:var(--ink);stroke-dasharray:2 3;vector-effect:non-scaling-stroke}.nl-main{display:grid;gap:0 1.3rem;grid-template-columns:minmax(0,1fr)}.nl-races > li,.nl-track,.nl-stage,.nl-play{contain:layout style}.nl-races > li{padding:.3rem 0;border-bottom:1px solid var(--line);& > p{font-size:.86em}}.nl-row{flex-wrap:nowrap;margin:0;align-items:end;& > input{flex:1;min-width:0;border-color:var(--win);font:var(--mono)}}.nl-problem::before{content:\"✗ \";color:var(--win)}.nl-comment{display:flex;justify-content:space-between;font-style:italic}.nl-chips{display:flex;gap:.3rem;align-items:end;flex:1;min-width:0}.nl-chip{flex:0 1 3.3rem;min-width:1.9rem;padding:0;overflow:hidden;touch-action:pan-y;user-select:none;border-color:var(--in)}.nl-col{contain:size layout style;position:relative;height:40px;display:block;margin-top:6px}.nl-fill,.nl-tick{position:absolute;inset:0;transform-origin:bottom}.nl-fill{background:var(--in);opacity:.8;transform:scaleY(0)}.nl-tick{top:auto;left:50%;height:2px;margin-bottom:-1px;background:var(--ink)}.nl-tick::after{content:\"\";position:absolute;right:3px;top:-3px;width:8px;height:8px;background:var(--ink);transform:rotate(45deg);border:1px solid var(--paper)}.nl-pc{position:absolute;left:2px;bottom:1px;font-size:.72rem;font-variant-numeric:tabular-nums;background:var(--paper);opacity:.93;border-radius:4px;padding:0 .15rem;line-height:1.25}.nl-nm{display:block;padding:.2rem 0;& small{font-size:.62em;vertical-align:.15em}white-space:nowrap;overflow:hidden;border-top:1px solid var(--line);border-bottom:4px solid transparent}.nl-win{border-color:var(--win);font-weight:700;letter-spacing:-.03em;& .nl-fill{background:var(--win)}}.nl-last .nl-nm{border-bottom-color:var(--last)}.nl-winner{border:2px solid var(--win);font-weight:700}.nl-add{padding:0;width:1.7rem;flex:none;color:var(--muted);border-style:dashed}.nl-arrow{padding:.4rem 0;color:var(--muted)}.nl-tools{display:flex;flex-direction:column}.nl-tool{border-color:transparent;background:none;padding:0;width:1.8rem;min-height:1.6rem;color:var(--muted)}.nl-drop{box-shadow:-4px 0 0 var(--l1)}.nl-dropwin{background:color-mix(in srgb,var(--win) 30%,var(--paper))}.nl-ghost{position:fixed;z-index:99;pointer-events:none;opacity:.9;box-shadow:0 6px 18px #0005}.nl-board{display:grid;gap:.7rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}&.nl-compact{& .nl-board{grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr))}& .nl-col{height:30px}}.nl-track{border:1px solid var(--line);border-radius:12px;padding:.4rem .6rem}& figcaption{font-size:1em;text-align:left;margin:0;color:inherit}& figcaption b{border-bottom:4px solid var(--last)}.nl-trackrow{gap:.3rem .7rem;margin:0;& > svg{flex:1 1 7rem;min-width:0}}.nl-plots{display:flex;gap:.6rem}.nl-plot{flex:0 1 auto;min-width:0;& svg{width:100%;min-width:5rem;display:block}}& svg text{fill:var(--ink);font:600 12px system-ui,sans-serif;text-anchor:middle}.nl-count{min-width:5.2rem;font-weight:500;font-variant-numeric:tabular-nums}& svg .nl-small{font:10px system-ui,sans-serif;fill:var(--muted);text-anchor:start}.nl-box{fill:color-mix(in srgb,var(--c) 10%,transparent);stroke:var(--c)}.nl-node{fill:var(--paper);stroke:var(--c);stroke-width:2}.nl-lastbar{fill:var(--last)}.nl-edge{opacity:.4;& path{fill:none;stroke:var(--ink);stroke-width:1.3}& .nl-head{fill:var(--ink);stroke:none}}.nl-implied{opacity:.2}.nl-tie{opacity:.75;& path{stroke:var(--muted);stroke-dasharray:4 3}& .nl-head{fill:var(--muted)}}.nl-decided{opacity:1;& path{stroke-width:2.4}&.nl-implied{opacity:.5}}& svg .nl-when{fill:var(--ink);font-weight:600}.nl-zero{stroke:var(--line)}.nl-stem{stroke:var(--c);stroke-width:3;opacity:.45}.nl-dot{fill:var(--c)}.nl-goal{stroke:var(--ink);fill:var(--ink)}.nl-play{border-top:1px solid var(--line);margin-top:.5rem;padding-top:.6rem;& .nl-chips{flex-wrap:wrap;margin:.4rem 0}}.nl-answer{gap:.5rem 1.2rem}& table{flex:1 1 17rem;width:auto;border-collapse:collapse;font-size:inherit}& :is(th,td){text-align:left;padding:.1rem .5rem .1rem 0;border:0;background:none;color:inherit;font-weight:500;white-space:nowrap}& td{width:40%;font-variant-numeric:tabular-nums}.nl-hbar{display:inline-block;width:calc(100% - 4rem);height:.8rem;margin-right:.4rem;background:var(--soft);vertical-align:middle}.nl-hfill{display:block;height:100%;transform-origin:left;background:var(--prac)}.nl-theory{background:var(--ink)}.nl-verdict{flex:1 1 15rem}.nl-text textarea,.nl-copy{width:100%;font:var(--mono);resize:vertical;white-space:pre;overflow:auto}.nl-text li{display:flex;gap:.3rem;font-size:.86em}.nl-link{padding:0;min-height:0;border:0;background:none;text-align:left;text-decoration:underline}.nl-menu{position:absolute;z-index:20;width:min(17rem,96%);background:var(--paper);border:1px solid var(--ink);border-radius:12px;padding:.55rem;box-shadow:0 8px 26px #0004;display:flex;flex-wrap:wrap;gap:.35rem;& input{flex:1 1 7rem;min-width:0}& hr{flex:1 0 100%;margin:0;border:0}}}@container (min-width:640px){.nta-lab{& .nl-main{grid-template-columns:minmax(0,4fr) minmax(0,5fr)}& .nl-float{display:none}}}@media (pointer:coarse){.nta-lab{& .nl-tool{min-height:32px}& .nl-add{width:2rem}}}@media (prefers-reduced-motion:no-preference){.nta-lab .nl-edge{transition:opacity .4s}}";
const SVG=/^(svg|g|path|rect|circle|line|text)$/;
export function h(tag,props,...kids){
const e=SVG.test(tag)?document.createElementNS("http://www.w3.org/2000/svg",tag):document.createElement(tag);
for(const[k,v]of Object.entries(props??{})){
if(k==="say")e.textContent=v;
else if(typeof v==="function")e.addEventListener(k.slice(2),v);
else if(v!==null&&v!==false)e.setAttribute(k,v);
}
e.append(...kids.filter(Boolean));
return e;
}
export const button=(say,onclick,props)=>h("button",{type:"button",say,onclick,...props});
export const put=(node,text)=>{if(node.textContent!==text)node.textContent=text;};
export function arrange(parent,nodes){
for(const child of[...parent.children])if(!nodes.includes(child))child.remove();
nodes.forEach((node,i)=>{if(parent.children[i]!==node)parent.insertBefore(node,parent.children[i]??null);});
}
export const line=(x1,y1,x2,y2,props)=>h("line",{x1,y1,x2,y2,...props});
export function pick(label,options,onpick){
const select=h("select",{"aria-label":label,onchange:()=>onpick(options[select.selectedIndex][0])},...options.map(([,say])=>h("option",{say})));
return{el:h("label",{class:"nl-pick"},h("span",{say:label}),select),set:(v)=>{select.selectedIndex=options.findIndex(([o])=>o===v);}};
}
export const keepKeys=(root)=>root.addEventListener("focusin",({target})=>target.setAttribute("data-lm-suppress-shortcuts",""));
export const LIMITS={tokens:16,races:120,runners:24,name:16,text:40000,code:60000};
const WORD=/[^ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g;
const BREAK=/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const order=(a,b)=>(a<b?-1:a>b?1:0);
export function naturalOrder(names){
const key=(s)=>s.match(/[0-9]+|[^0-9]+/g).map((part)=>(/^[0-9]/.test(part)?[0,BigInt(part)]:[1,part]));
return[...new Set(names)].map((name)=>[key(name),name]).sort(([a,x],[b,y])=>{
for(let i=0;i<a.length&&i<b.length;i++){
const c=a[i][0]- b[i][0]||order(a[i][1],b[i][1]);
if(c)return c;
}
return a.length - b.length||order(x,y);
}).map(([,name])=>name);
}
function readLine(raw){
const words=[...raw.matchAll(WORD)].map((m)=>({word:m[0],column:[...raw.slice(0,m.index)].length + 1}));
const line=(kind,more)=>({raw,kind,words,tokens:[],label:null,...more}),bad=(problem,column)=>line("bad",{problem,column});
const plain=(list)=>list.map(({word})=>word);
if(!words.length)return line("blank");
const at=words.findIndex(({word})=>/^(->|→)$/.test(word));
if(at<0){
if(words[0].word[0]==="#")return line("comment");
if(words[0].word!=="tokens:")return bad("no arrow: write a race as 'a b c -> b'",words[0].column);
const tokens=plain(words.slice(1)),twice=tokens.findIndex((t,i)=>tokens.indexOf(t)<i);
if(!tokens.length)return bad("'tokens:' names no token",1);
return twice<0?line("header",{tokens}):bad(`token '${tokens[twice]}' is named twice`,words[twice + 1].column);
}
const winners=words.slice(at + 1),second=winners.find(({word})=>/^(->|→)$/.test(word));
if(second)return bad("a second arrow: one race per line",second.column);
if(!at)return bad("no token before the arrow",words[0].column);
if(!winners.length)return bad("no label after the arrow: which token came next?",words[at].column + words[at].word.length);
if(winners.length>1)return bad("one label only: a race has one winner",winners[1].column);
return line("race",{tokens:plain(words.slice(0,at)),label:winners[0].word});
}
export function parseText(text){
const lines=text.split(BREAK).map(readLine),seen=new Set();
let header=null,races=0;
for(const line of lines){
if(line.kind!=="race"&&line.kind!=="header")continue;
const mine=line.label===null?line.tokens:[...line.tokens,line.label];
const refuse=(name,problem)=>Object.assign(line,{kind:"bad",problem,column:line.words.find(({word})=>word===name)?.column??line.words[0].column});
const long=mine.find((t)=>[...t].length>LIMITS.name),stranger=header&&line.label!==null&&mine.find((t)=>!header.includes(t));
if(line.kind==="header"&&(header||races))refuse(null,"'tokens:' stands once, before the first race");
else if(long)refuse(long,`'${long.slice(0, 12)}…' is too long for a chip: ${LIMITS.name} characters at most`);
else if(stranger)refuse(stranger,`token '${stranger}' is not in the vocabulary (${header.join(" ")})`);
else if(new Set([...seen,...mine]).size>LIMITS.tokens)refuse(null,`more than ${LIMITS.tokens} tokens: the lab shows small vocabularies`);
else if(line.tokens.length>LIMITS.runners||races>=LIMITS.races)refuse(null,`the lab holds ${LIMITS.races} races of at most ${LIMITS.runners} tokens`);
else if(line.kind==="header")header=line.tokens;
else{races++;mine.forEach((t)=>seen.add(t));}
}
const names=header||naturalOrder(seen),rows=[];
lines.forEach(({kind,tokens,label},line)=>kind==="race"&&rows.push({tokens:tokens.map((t)=>names.indexOf(t)),label:names.indexOf(label),line}));
return{lines,data:{names,K:names.length,rows},problems:lines.flatMap((l,i)=>(l.kind==="bad"?[{line:i + 1,column:l.column,message:l.problem}]:[]))};
}
export function textInForce({lines,data}){
if(!data.rows.length)return "";
return lines.filter((l)=>l.kind==="race"||l.kind==="header").map((l)=>l.words.map(({word})=>word).join(" ")).join("\n");
}
export function graphOf(last,nodes,edges,K){
const reach=new Int32Array(K),leagueOf=new Map(),leagues=[];
for(const[i,j]of edges)reach[i]|=1<<j;
for(let m=0;m<K;m++)for(let i=0;i<K;i++)if((reach[i]>>m)&1)reach[i]|=reach[m];
const reaches=(i,j)=>!!((reach[i]>>j)&1);
for(const i of nodes){
if(leagueOf.has(i))continue;
const league={members:nodes.filter((j)=>i===j||(reaches(i,j)&&reaches(j,i)))};
for(const j of league.members)leagueOf.set(j,league);
leagues.push(league);
}
const beats=(i,j)=>leagueOf.get(i)!==leagueOf.get(j)&&reaches(i,j),over=(c,d)=>beats(c.members[0],d.members[0]);
const level=(c)=>(c.level??=Math.max(-1,...leagues.filter((d)=>over(c,d)).map(level))+ 1);
leagues.forEach(level);
leagues.sort((a,b)=>b.level - a.level||a.members[0]- b.members[0]);
const strict=edges.filter(([i,j])=>beats(i,j)),seen=new Set();
const reduced=strict.filter(([i,j])=>{
const a=leagueOf.get(i),b=leagueOf.get(j),key=leagues.indexOf(a)*K + leagues.indexOf(b);
return!seen.has(key)&&seen.add(key)&&!leagues.some((c)=>over(a,c)&&over(c,b));
});
return{last,nodes,edges,leagues,leagueOf,strict,reduced,beats};
}
export function trackGraphs({rows,K}){
const tracks=new Map();
for(const{tokens,label}of rows){
if(!tokens.includes(label))continue;
const last=tokens.at(-1);
if(!tracks.has(last))tracks.set(last,[new Set(),new Set()]);
const[nodes,keys]=tracks.get(last);
for(const t of tokens){nodes.add(t);if(t!==label)keys.add(label*K + t);}
}
const sorted=(set)=>[...set].sort((a,b)=>a - b);
return sorted(tracks.keys()).map((last)=>{
const[nodes,keys]=tracks.get(last);
return graphOf(last,sorted(nodes),sorted(keys).map((key)=>[Math.floor(key / K),key % K]),K);
});
}
export function graphSvmScores(graph,K){
const wins=graph.reduced.map(([i,j])=>({i:graph.leagueOf.get(i),j:graph.leagueOf.get(j),multiplier:0})),scores=new Float64Array(K);
for(const c of graph.leagues)c.score=0;
for(let sweep=0,moved=1;moved>1e-14&&sweep<20000;sweep++){
moved=0;
for(const win of wins){
const a=1 / win.i.members.length,b=1 / win.j.members.length;
const next=Math.max(0,win.multiplier +(1 - win.i.score + win.j.score)/(a + b)),by=next - win.multiplier;
win.multiplier=next;win.i.score +=a*by;win.j.score -=b*by;
moved=Math.max(moved,Math.abs(by));
}
}
for(const c of graph.leagues)for(const t of c.members)scores[t]=c.score;
return scores;
}
function solve(A,b){
const n=b.length,M=A.map((row,i)=>[...row,b[i]]);
for(let c=0;c<n;c++)for(let r=0;r<n;r++){
const f=M[r][c]/ M[c][c];
if(r!==c)for(let k=c;k<=n;k++)M[r][k]-=f*M[c][k];
}
return M.map((row,i)=>row[n]/ row[i]);
}
export function luceStrengths(graph,{rows,K}){
const theta=new Float64Array(K);
for(const{members}of graph.leagues){
const m=members.length,races=rows.filter(({tokens,label})=>tokens.at(-1)===graph.last&&members.includes(label)&&tokens.includes(label))
.map(({tokens,label})=>({count:members.map((j)=>tokens.filter((t)=>t===j).length),win:members.indexOf(label)}));
const look=(x)=>{
let f=0;
const g=x.map(()=>0),H=x.map(()=>x.map(()=>1));
for(const{count,win}of races){
const top=Math.max(...x.filter((_,i)=>count[i])),e=x.map((v,i)=>count[i]&&count[i]*Math.exp(v - top)),s=total(e),p=e.map((v)=>v / s);
f -=Math.log(p[win]);
p.forEach((v,i)=>{g[i]+=v -(i===win);H[i][i]+=v;p.forEach((u,j)=>{H[i][j]-=v*u;});});
}
return{f,g,H};
};
let x=members.map(()=>0);
for(let round=0;m>1&&round<100;round++){
const{f,g,H}=look(x),d=solve(H,g),slope=total(g.map((v,i)=>v*d[i])),at=(t)=>x.map((v,i)=>v - t*d[i]);
if(norm(g)<1e-13*races.length)break;
let t=1;
while(t>1e-4&&look(at(t)).f>f - 0.25*t*slope + 1e-12)t /=2;
x=at(t);
}
members.forEach((t,i)=>(theta[t]=x[i]- total(x)/ m));
}
return theta;
}
export function theoryOf(data){
const{K}=data,graphs=trackGraphs(data),Wsvm=new Float64Array(K*K),Wfin=new Float64Array(K*K);
for(const g of graphs){
const a=graphSvmScores(g,K),b=luceStrengths(g,data);
for(let j=0;j<K;j++){Wsvm[j*K + g.last]=a[j];Wfin[j*K + g.last]=b[j];}
}
return{graphs,Wsvm,Wfin,norm:norm(Wsvm)};
}
export function automaton({Wsvm,Wfin,graphs},K,context){
const last=context.at(-1),distinct=[...new Set(context)].sort((a,b)=>a - b),score=(t)=>Wsvm[t*K + last];
const top=Math.max(...distinct.map(score)),kept=distinct.filter((t)=>score(t)>top - 1e-6);
const weight=context.map((t)=>(kept.includes(t)?Math.exp(Wfin[t*K + last]):0)),sum=total(weight),graph=graphs.find((g)=>g.last===last);
let silent=null;
if(distinct.length>1){
const unseen=graph&&distinct.find((t)=>!graph.nodes.includes(t));
if(!graph)silent=["track"];
else if(unseen!==undefined)silent=["unseen",unseen];
else{
const best=distinct.filter((t,i)=>distinct.every((o,j)=>!graph.beats(o,t)&&!(j<i&&graph.leagueOf.get(o)===graph.leagueOf.get(t))));
if(best.length>1)silent=["apart",...best];
}
}
return{kept,probabilities:weight.map((v)=>v / sum),silent};
}
export function measure(W,theory,K){
const length=norm(W);
let dot=0,far=0;
for(let i=0;i<W.length;i++)dot +=W[i]*theory.Wsvm[i];
for(const g of theory.graphs)for(const{members}of g.leagues){
const mean=total(members.map((t)=>W[t*K + g.last]))/ members.length;
for(const t of members)far +=(W[t*K + g.last]- mean - theory.Wfin[t*K + g.last])**2;
}
return{norm:length,cosine:dot /(length*theory.norm),distance:Math.sqrt(far)};
}
export const total=(v)=>v.reduce((a,b)=>a + b,0);
export const norm=(v)=>{let s=0;for(let i=0;i<v.length;i++)s +=v[i]*v[i];return Math.sqrt(s);};
export function compileRows({rows,K}){
const used=rows.filter(({tokens,label})=>tokens.includes(label)),start=[0],cell=[],logs=[];
for(const{tokens,label}of used){
for(const t of new Set([label,...tokens])){
cell.push(t*K + tokens.at(-1));
logs.push(Math.log(tokens.filter((o)=>o===t).length));
}
start.push(cell.length);
}
return{n:rows.length,used:used.length,start,cell:Int32Array.from(cell),logs:Float64Array.from(logs),p:new Float64Array(cell.length),grad:new Float64Array(K*K)};
}
export function gradient({n,used,start,cell,logs,p,grad},W,loss){
let sumLoss=0;
grad.fill(0);
for(let r=0;r<used;r++){
const a=start[r],b=start[r + 1];
let top=-Infinity,sum=0,rest=0;
for(let i=a;i<b;i++){p[i]=logs[i]+ W[cell[i]];if(p[i]>top)top=p[i];}
for(let i=a;i<b;i++){p[i]=Math.exp(p[i]- top);sum +=p[i];}
for(let i=a + 1;i<b;i++){p[i]/=sum;rest +=p[i];}
const u=p[a]/ sum,squared=loss==="squared",scale=(squared?2*u*rest:1)/ n;
sumLoss +=squared?rest*rest:u>0.5?-Math.log1p(-rest):-Math.log(u);
for(let i=a + 1;i<b;i++)grad[cell[i]]+=scale*p[i];
grad[cell[a]]-=scale*rest;
}
return sumLoss / Math.max(n,1);
}
export function descentStep(problem,W,{eta,normalized,loss}){
gradient(problem,W,loss);
const g=problem.grad,rate=normalized?eta /(norm(g)+ Number.EPSILON):eta;
for(let i=0;i<g.length;i++)W[i]-=rate*g[i];
}
export function attention(W,K,context){
const z=context.map((t)=>W[t*K + context.at(-1)]),top=Math.max(...z),e=z.map((v)=>Math.exp(v - top)),s=total(e);
return e.map((v)=>v / s);
}
export function startWeights(K,seed){
const random=mulberry(seed);
return new Float64Array(K*K).map(()=>(seed===null?0:Math.round((2*random()- 1)/ Math.sqrt(K)*1e4)/ 1e4));
}
export function mulberry(seed){
let a=seed>>>0;
return()=>{
a=(a + 0x6d2b79f5)|0;
let t=Math.imul(a ^(a>>>15),1|a);
t=(t + Math.imul(t ^(t>>>7),61|t))^ t;
return((t ^(t>>>14))>>>0)/ 4294967296;
};
}
export const SETTINGS={normalized:true,eta:0.1,loss:"log",seed:null,speed:1};
export const SPEEDS=[6,30,120,600,3000,12000];
export const ETAS=[0.01,0.03,0.1,0.3,1,2];
export const MAX_STEPS=100000;
const toBase64=(bytes)=>btoa(Array.from(bytes,(b)=>String.fromCharCode(b)).join("")).replace(/\+/g,"-").replace(/\//g,"_").replace(/=+$/,"");
const fromBase64=(text)=>Uint8Array.from(atob(text.replace(/-/g,"+").replace(/_/g,"/")),(c)=>c.charCodeAt(0));
export function encodeState({draft,settings,steps,W,context}){
const weights=steps?toBase64(new Uint8Array(Float32Array.from(W).buffer)):"";
return toBase64(new TextEncoder().encode(JSON.stringify([1,draft,settings,steps,weights,context])));
}
export function decodeState(code){
const must=(good,why)=>{if(!good)throw new Error(`The link was not loaded: ${why}.`);},whole=(v,end)=>Number.isInteger(v)&&v>=0&&v<end;
const attempt=(f)=>{try{return f();}catch{return null;}};
must(code.length<=LIMITS.code,"it is too long to be a lab");
must(/^[A-Za-z0-9_-]+$/.test(code),"it holds characters that no lab writes");
const state=attempt(()=>JSON.parse(new TextDecoder("utf-8",{fatal:true}).decode(fromBase64(code))));
must(Array.isArray(state)&&state.length===6&&state[0]===1,"it is damaged, or made by another version");
const[,draft,given,steps,weights,context]=state;
must(typeof draft==="string"&&draft.length<=LIMITS.text,"its races are not a short text");
const{normalized,eta,loss,seed,speed}=given??{};
must(typeof normalized==="boolean"&&ETAS.includes(eta)&&/^(log|squared)$/.test(loss)&&whole(speed,SPEEDS.length)&&(seed===null||whole(seed,1e6)),"its settings are out of range");
must(Array.isArray(context)&&context.length<=LIMITS.runners&&context.every((t)=>typeof t==="string"),"its context is damaged");
const{K}=parseText(draft).data,W=steps?attempt(()=>Float64Array.from(new Float32Array(fromBase64(weights).buffer))):null;
must(steps===0||(whole(steps,MAX_STEPS + 1)&&W?.length===K*K&&W.every((v)=>Math.abs(v)<1e6)),"its weights do not fit its races");
return{draft,settings:{normalized,eta,loss:String(loss),seed,speed},steps,W,context};
}
export function toPython({text,settings:{eta,normalized,loss,seed},steps,W0}){
const K=Math.sqrt(W0.length),rows=Array.from({length:K},(_,j)=>`    [${W0.slice(j * K, j * K + K).join(", ")}],`);
const lines=text.split("\n").map((line,i,all)=>`    ${JSON.stringify(line + (i < all.length - 1 ? "\n" : ""))}`);
return["import numpy as np","","from nta_core import Dataset, gradient_descent, solve_graph_svm, token_priority_graphs","",
"data = Dataset.from_text(",...lines,")","E = np.eye(data.K)  # one-hot embeddings, as in the lab",
...(seed===null?["W0 = np.zeros((data.K, data.K))"]:["W0 = np.array([",...rows,"])"]),
"league_table = solve_graph_svm(token_priority_graphs(data), E)",
`run = gradient_descent(data, E, steps=${steps || 1000}, step_size=${eta}, normalized=${normalized ? "True" : "False"}, loss="${loss}", W0=W0)`,""].join("\n");
}
const NUMBER="no one two three four five six seven eight nine ten eleven twelve".split(" ");
export const words=(n)=>NUMBER[n]??String(n);
export const plural=(n,one)=>`${words(n)} ${one}${n === 1 ? "" : "s"}`;
export const listing=(items)=>(items.length<2?items.join(""):`${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);
export const capital=(s)=>s.charAt(0).toUpperCase()+ s.slice(1);
export const percent=(p)=>(p>0&&p<0.005?"<1":p<1&&p>0.995?">99":String(Math.round(100*p)));
export const signed=(v)=>(Math.abs(v)<0.005?"0":(v>0?"+":"−")+ Math.abs(v).toFixed(2));
export const show=(v,digits=3)=>(Number.isFinite(v)?(v!==0&&Math.abs(v)<1e-3?v.toExponential(1).replace("-","−"):v.toFixed(digits)):"–");
export function describeChange(before,after){
const named=({data:{names,K},theory})=>new Map(theory.graphs.map((g)=>[names[g.last],{
edges:g.edges.map(([i,j])=>`${names[i]} ${names[j]}`),count:g.leagues.length,
leagues:g.leagues.map((c)=>c.members.map((t)=>names[t]).sort().join(" ")).join("|"),
strength:new Map(g.nodes.map((t)=>[names[t],theory.Wfin[t*K + g.last]])),
}]));
const old=named(before),now=named(after),parts=[],{names,rows}=after.data;
const beat=(track,edge)=>{
const[i,j]=edge.split(" "),n=rows.filter(({tokens,label})=>names[tokens.at(-1)]===track&&names[label]===i&&tokens.includes(names.indexOf(j))).length;
return `${i} beat ${j} ${["", "once", "twice"][n] ?? `${words(n)} times`}`;
};
for(const track of new Set([...old.keys(),...now.keys()])){
const a=old.get(track),b=now.get(track);
if(!b)parts.push(`no race ends in ${track} any more`);
else if(!a)parts.push(`races now end in ${track}, a new track with ${plural(b.count, "league")}`);
else{
const said=[...b.edges.filter((e)=>!a.edges.includes(e)).map((e)=>beat(track,e)),...a.edges.filter((e)=>!b.edges.includes(e)).map((e)=>e.replace(" "," no longer beats "))];
if(!said.length)continue;
const effect=a.count!==b.count?`${plural(a.count, "league")} became ${words(b.count)}`:`still ${plural(b.count, "league")}${a.leagues === b.leagues ? "" : ", in another order"}`;
parts.push(`after ${track}, ${listing(said.length > 3 ? [...said.slice(0, 2), `${words(said.length - 2)} more`] : said)}: ${effect}`);
}
}
if(parts.length)return `${capital(parts.slice(0, 2).join("; "))}${parts.length > 2 ? "; and more" : ""}.`;
const moves=[...now].flatMap(([track,{strength}])=>[...strength].map(([token,v])=>[track,token,old.get(track).strength.get(token),v]));
const[track,token,was,is]=moves.reduce((a,b)=>(Math.abs(b[3]- b[2])>Math.abs(a[3]- a[2])?b:a),["","",0,0]);
if(Math.abs(is - was)>0.005)return `No edge changed, but strengths did: after ${track}, ${token} moved from ${signed(was)} to ${signed(is)} inside its league.`;
return before.data.rows.length===rows.length?"":"No edge changed: the graph does not count how often a race is run.";
}
export function describeTracks(names,graphs){
return graphs.map(({last,leagues})=>{
const tied=leagues.filter((c)=>c.members.length>1).map((c)=>`, ${listing(c.members.map((t) => names[t]))} tie`).join("");
return `After ${names[last]}: ${plural(leagues.length, "league")}${tied}.`;
}).join(" ");
}
export function describeContext(names,context,{kept,silent}){
const last=names[context.at(-1)],does=`Retrieve ${listing(kept.map((t) => names[t]))}${kept.length > 1 ? ", then compose by strength" : ""}.`;
if(!silent)return `${does} The data decides this context.`;
const[kind,a,b]=silent;
const why=kind==="track"?`no race ends in ${last}`:kind==="unseen"?`${names[a]} never ran in a race that ends in ${last}`:`after ${last} the data never compares ${names[a]} with ${names[b]}, not even through others`;
return `Undetermined: ${why}. What follows is only the shortest W's guess. ${does}`;
}
export const PRESETS=[
["Fig. 3","e1 e2 e1 -> e2\ne3 e2 e1 -> e3\ne3 e4 e1 -> e4\ne3 e1 e2 -> e3\ne3 e1 e2 -> e2\ne3 e1 e2 -> e1\ne2 e4 e2 -> e4"],
["Strict order","d c a -> d\nc b a -> c\nb a -> b"],
["One tie","d b a -> d\nd c a -> d\nb c a -> b\nb c a -> b\nc b a -> c"],
["One upset","# the last race is the upset: take it away and look\nd c a -> d\nc b a -> c\nb a -> b\na d a -> a"],
["All tied","a b c -> a\na b c -> b\nb a c -> c\na b c -> a\nb c c -> b"],
["Tiny grammar","cat dog sat the -> cat\ncat dog sat the -> cat\ncat dog sat the -> dog\nthe dog sat cat -> sat\nthe cat sat dog -> sat\ncat dog the sat -> the"],
];
export const OWN="# your own little language: one race per line\na b c -> b\nc b a -> a";
const DECIDED=Math.log(10);
export class Lab{
constructor(draft){
Object.assign(this,{settings:{...SETTINGS},past:[],future:[],random:mulberry(1),context:[],say:""});
this.load(draft);
this.reset();
this.firstContext();
}
load(draft){
this.draft=draft;
this.parsed=parseText(draft);
const{rows,K}=(this.data=this.parsed.data),{graphs}=(this.theory=theoryOf(this.data));
this.problem=compileRows(this.data);
this.limits=rows.map(({tokens})=>automaton(this.theory,K,tokens).probabilities);
const won=rows.map(({tokens,label},r)=>total(tokens.map((t,i)=>(t===label?this.limits[r][i]:0))));
this.infimum=total(won.map((p)=>(p?-Math.log(p):0)))/ Math.max(1,rows.length);
this.pairs=graphs.flatMap((g)=>g.strict.map(([i,j])=>({key:this.pairKey(g.last,i,j),a:i*K + g.last,b:j*K + g.last})));
}
pairKey(...tokens){return tokens.map((t)=>this.data.names[t]).join(" ");}
reset(){
this.W=startWeights(this.data.K,this.settings.seed);
this.steps=0;this.history=[];this.decided=new Map();
for(const pair of this.pairs)pair.sure=false;
this.note();
}
edit(draft,{fresh=false,keepPast=false}={}){
if(draft===this.draft)return;
const before={data:this.data,theory:this.theory},old=this.data.names,W=this.W,context=this.context.map((t)=>old[t]);
if(!keepPast){this.past.push(this.draft);this.future=[];}
this.load(draft);
const{names,K}=this.data,from=names.map((name)=>old.indexOf(name));
this.W=new Float64Array(K*K).map((_,c)=>{const j=from[Math.floor(c / K)],k=from[c % K];return j<0||k<0?0:W[j*old.length + k];});
if(fresh){this.reset();this.firstContext();}else this.setContext(context);
const live=new Set(this.pairs.map((p)=>p.key));
for(const key of this.decided.keys())if(!live.has(key))this.decided.delete(key);
this.decide();
this.note();
this.say=fresh?"":describeChange(before,this);
}
undo(){if(this.past.length){this.future.push(this.draft);this.edit(this.past.pop(),{keepPast:true});}}
redo(){if(this.future.length){this.past.push(this.draft);this.edit(this.future.pop(),{keepPast:true});}}
withLines(i,n,...races){
const{lines}=this.parsed,raws=lines.map((l)=>l.raw),header=lines.findIndex((l)=>l.kind==="header");
const missing=header<0?[]:races.flatMap((r)=>[...(r.tokens??[]),r.label]).filter((t)=>t&&!lines[header].tokens.includes(t));
if(missing.length)raws[header]=[raws[header],...new Set(missing)].join(" ");
return raws.toSpliced(i,n,...races.map((r)=>r.raw??`${r.tokens.join(" ")} -> ${r.label}`)).join("\n");
}
setContext(names){this.context=names.map((name)=>this.data.names.indexOf(name)).filter((t)=>t>=0).slice(-LIMITS.runners);}
firstContext(){this.context=[...(this.data.rows.at(-1)?.tokens??[])];}
set(name,value){
this.settings[name]=value;
if(name==="seed"||name==="loss")this.reset();
}
advance(count){
for(let i=0;i<count&&this.steps<MAX_STEPS;i++){
descentStep(this.problem,this.W,this.settings);
this.steps++;
this.decide();
}
this.note();
}
decide(){
for(const pair of this.pairs){
const sure=this.W[pair.a]- this.W[pair.b]>=DECIDED;
if(sure===pair.sure)continue;
pair.sure=sure;
if(!sure)this.decided.delete(pair.key);
else if(!this.decided.has(pair.key))this.decided.set(pair.key,this.steps);
}
}
note(){
this.now={steps:this.steps,loss:gradient(this.problem,this.W,this.settings.loss),...measure(this.W,this.theory,this.data.K)};
if(this.history.at(-1)?.steps===this.steps)this.history.pop();
this.history.push(this.now);
if(this.history.length>240)this.history=this.history.filter((_,i)=>i % 2===0);
}
speak(who){
const{data:{K},context}=this,p=who==="network"?attention(this.W,K,context):automaton(this.theory,K,context).probabilities;
let r=this.random(),i=0;
while(i<p.length - 1&&(r -=p[i])>=0)i++;
this.context=[...context,context[i]].slice(-LIMITS.runners);
}
code(){return encodeState({...this,context:this.context.map((t)=>this.data.names[t])});}
restore({draft,settings,steps,W,context}){
this.settings=settings;
this.edit(draft,{fresh:true});
this.reset();
if(W){this.W=W;this.steps=steps;this.history=[];this.decide();for(const key of this.decided.keys())this.decided.set(key,0);this.note();}
this.setContext(context);
}
inWords(){
const{data:{names,rows},theory,now,settings,pairs,decided}=this,bad=this.parsed.problems.length,last=Math.max(...decided.values());
const wrong=bad?`${capital(plural(bad, "line"))} cannot be read and ${bad === 1 ? "is" : "are"} left out.`:"";
if(!rows.length)return `No race yet: add one, or choose an example. ${wrong}`;
const said=this.steps?[this.say,`Step ${this.steps}: loss ${show(now.loss)}${settings.loss === "log" ? `, it can fall to ${show(this.infimum)}` : ""}.`,
theory.norm?`Cosine ${show(now.cosine, 4)} with the league table.`:"Nothing is strictly ordered: the league table is zero and W stays finite.",
pairs.length&&(decided.size<pairs.length?`${decided.size} of ${pairs.length} comparisons decided.`:`All ${pairs.length} comparisons decided${last ? `, the last at step ${last}` : ""}.`),
settings.loss==="squared"&&"Theorem 2 is about the log loss; with the squared loss the end may lie elsewhere."]
:[this.say||`${capital(plural(rows.length, "race"))} on ${plural(theory.graphs.length, "track")}.`,describeTracks(names,theory.graphs)];
return[...said,wrong].filter(Boolean).join(" ");
}
}
export const short=(name)=>([...name].length>8?`${[...name].slice(0, 7).join("")}…`:name);
const colour=(rank)=>`--c:var(--l${(rank % 4) + 1})`;
function rankLeagues(leagues){
const levels=[...new Set(leagues.map((c)=>c.level))];
for(const c of leagues){
const same=leagues.filter((o)=>o.level===c.level);
c.rank=levels.indexOf(c.level);
c.title=`${c.rank + 1}${same[1] ? String.fromCharCode(97 + same.indexOf(c)) : ""}`;
}
}
function layout({leagues,strict},names){
const half=(t)=>9 + 4*[...short(names[t])].length,place=new Map(),rows=[],falls=(t)=>total(strict.map(([i,j])=>(j===t)-(i===t)));
let y=4,width=96;
for(const c of leagues){
const n=c.members.length,w=2*Math.max(...c.members.map(half));
c.box=n<3?{w:n*w + 18*n - 4,h:34,rx:(n - 1)*(w / 2 + 9),ry:0,room:56}:{w:24*n + 26 + w,h:14*n + 50,rx:12*n + 6,ry:7*n + 6,room:0};
(rows[c.rank]??=[]).push(c);
}
for(const row of rows)width=Math.max(width,total(row.map((c)=>c.box.w + c.box.room + 6)));
for(const row of rows){
const tall=Math.max(...row.map((c)=>c.box.h)),gap=(width - total(row.map((c)=>c.box.w + c.box.room)))/(row.length + 1);
let x=gap;
for(const{members,box}of row){
Object.assign(box,{x,y:y +(tall - box.h)/ 2});
members.toSorted((a,b)=>falls(b)- falls(a)).forEach((t,i)=>{
const turn=(2*Math.PI*i)/ members.length -(members.length<3?Math.PI:Math.PI / 2);
place.set(t,{x:x + box.w / 2 + box.rx*Math.cos(turn),y:y + tall / 2 + box.ry*Math.sin(turn),half:half(t)});
});
x +=box.w + box.room + gap;
}
y +=tall + 28;
}
return{place,width,height:y - 24};
}
function arrow(p,q,bend){
const dx=q.x - p.x,dy=q.y - p.y,d=Math.hypot(dx,dy),mx=(p.x + q.x)/ 2 -(bend*dy)/ d,my=(p.y + q.y)/ 2 +(bend*dx)/ d;
const leave=(from)=>{const ux=mx - from.x,uy=my - from.y,r=1 / Math.hypot(ux /(from.half + 2),uy / 14);return[from.x + ux*r,from.y + uy*r];};
const[x1,y1]=leave(p),[x2,y2]=leave(q),l=Math.hypot(x2 - mx,y2 - my)||1,ux=(7*(x2 - mx))/ l,uy=(7*(y2 - my))/ l;
const path=(...v)=>v.map((a)=>(typeof a==="number"?`${a.toFixed(1)} `:a)).join("");
return{
line:path("M",x1,y1,"Q",mx,my,x2,y2),head:path("M",x2,y2,"L",x2 - ux - uy / 2,y2 - uy + ux / 2,x2 - ux + uy / 2,y2 - uy - ux / 2,"z"),
x:(x1 + 2*mx + x2)/ 4,y:(y1 + 2*my + y2)/ 4,
};
}
function graphPicture(lab,graph){
const{names}=lab.data,{last,leagues,leagueOf,edges,reduced}=graph,arrows=[];
rankLeagues(leagues);
const{place,width,height}=layout(graph,names),rank=(t)=>leagueOf.get(t).rank;
const order=leagues.map((c)=>`league ${c.title}: ${c.members.map((t) => names[t]).join(" ")}`).join(", ");
const svg=h("svg",{viewBox:`0 0 ${width} ${height}`,style:`max-width:${width * 1.25}px;flex-basis:${0.8 * width}px`,role:"img","aria-label":`Graph after ${names[last]}; ${order}; ${edges.map(([i, j]) => `${names[i]} beat ${names[j]}`).join(", ")}.`});
for(const{box,title,rank:r}of leagues){
svg.append(h("rect",{x:box.x,y:box.y,width:box.w,height:box.h,rx:12,class:"nl-box",style:colour(r)}),h("text",{x:box.x +(box.room?box.w + 4:7),y:box.y +(box.room?20:box.h - 5),class:"nl-small",say:`League ${title}`}));
}
for(const[i,j]of edges){
const strict=graph.beats(i,j),key=reduced.some(([a,b])=>a===i&&b===j),gap=rank(j)- rank(i);
const{line:d,head,x,y}=arrow(place.get(i),place.get(j),gap>1?13*gap + 8:strict?0:7),when=h("text",{x:x + 5,y:y + 3,class:"nl-small nl-when"});
const g=h("g",{class:`nl-edge ${strict ? (key ? "" : "nl-implied") : "nl-tie"}`},h("path",{d}),h("path",{d:head,class:"nl-head"}),key&&when);
svg.append(g);
if(strict)arrows.push({g,when,pair:lab.pairKey(last,i,j)});
}
for(const[t,{x,y,half}]of place){
svg.append(h("rect",{x:x - half,y:y - 12,width:2*half,height:24,rx:12,class:"nl-node",style:colour(rank(t))}),h("text",{x,y:y + 4.5,say:short(names[t])}));
if(t===last)svg.append(h("rect",{x:x - half + 5,y:y + 13,width:2*half - 10,height:3,class:"nl-lastbar"}));
}
return{el:svg,update:()=>{for(const{g,when,pair}of arrows){
const at=lab.decided.get(pair);
g.classList.toggle("nl-decided",at!==undefined);
put(when,at===undefined?"":`✓${at || ""}`);
}}};
}
function scorePicture(title,tokens,names,rank,goal,read){
const lane=Math.max(22,...tokens.map((t)=>8*[...short(names[t])].length + 7)),high=Math.max(0.5,...goal.map(Math.abs)),width=36 + lane*tokens.length,mark=signed(high).slice(1).replace(/\.?0+$/,"");
const y=(v)=>62 - 54*Math.max(-1,Math.min(1,v / high / 1.3)),svg=h("svg",{viewBox:`0 0 ${width} 136`,role:"img","aria-label":title,style:`max-width:${width * 1.15}px`},line(34,62,width,62,{class:"nl-zero"}));
for(const[v,say]of[[high,`+${mark}`],[0,"0"],[-high,`−${mark}`]])svg.append(h("text",{x:31,y:y(v)+ 4,class:"nl-small",style:"text-anchor:end",say}));
const dots=tokens.map((t,i)=>{
const x=36 + lane*(i + 0.5),style=colour(rank(t)),at=y(goal[i]),stem=line(x,62,x,62,{class:"nl-stem",style}),dot=h("circle",{cx:x,r:5,class:"nl-dot",style});
svg.append(stem,line(x - 10,at,x + 10,at,{class:"nl-goal"}),h("path",{d:`M${x} ${at - 4}l4 4l-4 4l-4 -4z`,class:"nl-goal"}),dot,h("text",{x,y:132,say:short(names[t])}));
return(v)=>{const place=y(v).toFixed(1);stem.setAttribute("y2",place);dot.setAttribute("cy",place);};
});
return{
el:h("div",{class:"nl-plot"},h("p",{say:title}),svg),update:()=>read().forEach((v,i)=>dots[i](v)),
describe:()=>svg.setAttribute("aria-label",`${title}: ${read().map((v, i) => `${names[tokens[i]]} ${signed(v)}, theory ${signed(goal[i])}`).join("; ")}`),
};
}
export function trackPicture(lab,graph,compact){
const{names,K}=lab.data,{leagues,leagueOf,last}=graph,picture=graphPicture(lab,graph),plots=[];
const cell=(t)=>t*K + last,rank=(t)=>leagueOf.get(t).rank,members=(list)=>list.flatMap((c)=>c.members),ordered=members(leagues),tied=members(leagues.filter((c)=>c.members[1]!==undefined));
if(graph.strict.length)plots.push(scorePicture("Between leagues",ordered,names,rank,ordered.map((t)=>lab.theory.Wsvm[cell(t)]),()=>ordered.map((t)=>(lab.W[cell(t)]*lab.theory.norm)/(lab.now.norm||1))));
if(tied.length)plots.push(scorePicture("Inside a league",tied,names,rank,tied.map((t)=>lab.theory.Wfin[cell(t)]),()=>tied.map((t)=>lab.W[cell(t)]- total(leagueOf.get(t).members.map((o)=>lab.W[cell(o)]))/ leagueOf.get(t).members.length)));
if(compact)plots.length=0;
return{
el:h("figure",{class:"nl-track"},h("figcaption",null,"After ",h("b",{say:names[last]}),h("span",{say:` · ${plural(leagues.length, "league")}`})),h("div",{class:"nl-trackrow"},picture.el,h("div",{class:"nl-plots"},...plots.map((p)=>p.el)))),
update:()=>[picture,...plots].forEach((p)=>p.update()),describe:()=>plots.forEach((p)=>p.describe()),
};
}
export function meter(label,title){
const value=h("b"),path=h("path",{class:"nl-spark"}),goal=line(0,0,120,0,{class:"nl-sparkgoal"});
const el=h("div",{class:"nl-meter",title},h("span",{say:label}),value,h("svg",{viewBox:"0 0 120 28",preserveAspectRatio:"none","aria-hidden":"true"},goal,path));
return{el,update:(text,points,target)=>{
put(value,text);
const past=points.filter(([,v])=>Number.isFinite(v)),all=[...past.map(([,v])=>v),...(Number.isFinite(target)?[target]:[])];
const low=Math.min(...all),span=Math.max(...all)- low||1,end=Math.log1p(past.at(-1)?.[0]||1),y=(v)=>(25 -(22*(v - low))/ span).toFixed(1);
path.setAttribute("d",past.map(([t,v],i)=>`${i ? "L" : "M"}${((120 * Math.log1p(t)) / end).toFixed(1)} ${y(v)}`).join(""));
goal.setAttribute("transform",`translate(0 ${Number.isFinite(target) ? y(target) : -9})`);
}};
}
export function chipRow(ui,race,title,change){
const{tokens,label}=race,chips=[],named=label!==undefined;
const edited=(next,at)=>change({...race,...next},at);
const swap=(i,n,...names)=>{
const next=tokens.toSpliced(i,n,...names);
edited({tokens:next,label:named&&n&&label===tokens[i]&&!next.includes(label)?next[names.length?i:0]:label},Math.min(i,next.length - 1));
};
const insert=(i,name)=>tokens.length<LIMITS.runners&&swap(i,0,name);
const move=(i,to)=>to>=0&&to<tokens.length&&edited({tokens:tokens.toSpliced(i,1).toSpliced(to,0,tokens[i])},to);
const win=(name,at=-1)=>edited({label:name},at);
tokens.forEach((name,i)=>{
const fill=h("i",{class:"nl-fill"}),tick=h("i",{class:"nl-tick"}),value=h("span",{class:"nl-pc"}),last=i===tokens.length - 1,wins=name===label;
const actions=()=>[named&&!wins&&["★ Winner",()=>win(name,i)],i>0&&["← Move",()=>move(i,i - 1)],!last&&["Move →",()=>move(i,i + 1)],["Remove",()=>swap(i,1)]];
const chip=h("button",{
type:"button",class:`nl-chip${wins ? " nl-win" : ""}${last ? " nl-last" : ""}`,tabindex:i?-1:0,"aria-haspopup":"dialog",
"aria-label":`${name}, ${i + 1} of ${tokens.length}${wins ? ", winner" : ""}${last ? ", last token" : ""}`,
onclick:()=>ui.menu(chip,`Change ${name}`,(other)=>swap(i,1,other),actions()),
onpointerdown:(e)=>startDrag(e,chip,name,(to)=>move(i,to>i?to - 1:to)),
onkeydown:(e)=>{
const step={ArrowLeft:-1,ArrowRight:1}[e.key],turn={ArrowUp:-1,ArrowDown:1}[e.key],{names}=ui.lab.data;
if(e.ctrlKey||e.metaKey)return;
if(step&&e.altKey)move(i,i + step);
else if(step)chips[i + step]?.chip.focus();
else if(turn)swap(i,1,names[(names.indexOf(name)+ turn + names.length)% names.length]);
else if(e.key==="Delete"||e.key==="Backspace")swap(i,1);
else if(e.key==="w"&&named)win(name,i);
else return;
e.preventDefault();
},
},h("span",{class:"nl-col"},fill,value,tick),h("span",{class:"nl-nm"},wins&&h("small",{say:"★"}),short(name)));
chips.push({chip,fill,tick,value});
});
const add=button("+",()=>ui.menu(add,"Add a token",(name)=>insert(0,name),[]),{class:"nl-add","aria-label":`Add a token to ${title}`});
const el=h("div",{class:"nl-chips",role:"group","aria-label":title},add,...chips.map((c)=>c.chip));
el.ntaDrop={chips,insert};
if(named){
const winner=button(short(label),()=>ui.menu(winner,"Who wins?",win,[],tokens),{class:"nl-chip nl-winner","aria-haspopup":"dialog","aria-label":`${title}: ${label} wins`});
winner.ntaWin=win;
el.append(h("span",{class:"nl-arrow","aria-hidden":"true",say:"→"}),winner);
chips.winner=winner;
}
return{el,chips,update:(values,goal)=>chips.forEach(({fill,tick,value},i)=>{
const v=values[i].toFixed(3);
if(fill.ntaValue!==v){fill.ntaValue=v;fill.style.transform=`scaleY(${v})`;put(value,percent(values[i]));}
if(tick.ntaValue!==goal[i]){tick.ntaValue=goal[i];tick.style.bottom=`${(100 * goal[i]).toFixed(1)}%`;}
})};
}
export function openMenu(ui,anchor,title,choose,actions,first=[]){
ui.closeMenu();
const close=(then,value)=>{ui.closeMenu();if(anchor.isConnected)anchor.focus();then?.(value);},{names}=ui.lab.data;
const create=()=>{
const name=field.value.trim(),{problems,data}=parseText(`${name} -> ${name}`);
if(problems.length||data.K!==1||(names.length>=LIMITS.tokens&&!names.includes(name)))ui.tell(`“${name.slice(0, 20)}” cannot name a token here: one word of at most ${LIMITS.name} characters, ${LIMITS.tokens} tokens in all.`);
else close(choose,name);
};
const field=h("input",{placeholder:"new name","aria-label":"New token",maxlength:LIMITS.name,onkeydown:(e)=>{if(e.key==="Enter")create();}});
const menu=h("div",{class:"nl-menu",role:"dialog","aria-label":title,onkeydown:(e)=>{if(e.key==="Escape")close();}},
...[...new Set([...first,...names])].map((name)=>button(name,()=>close(choose,name))),h("hr"),field,button("Add",create),h("hr"),...actions.filter(Boolean).map(([say,act])=>button(say,()=>close(act))));
const box=ui.root.getBoundingClientRect(),at=anchor.getBoundingClientRect(),outside=(e)=>menu.contains(e.target)||ui.closeMenu();
ui.closeMenu=()=>{menu.remove();document.removeEventListener("pointerdown",outside);ui.closeMenu=()=>{};};
document.addEventListener("pointerdown",outside);
ui.root.append(menu);
menu.style.top=`${at.bottom - box.top + 4}px`;
menu.style.left=`${Math.max(0, Math.min(at.left - box.left, box.width - menu.offsetWidth))}px`;
menu.querySelector("button,input").focus();
}
function startDrag(event,chip,name,moveTo){
if(event.button)return;
const{clientX:x0,clientY:y0}=event,home=chip.parentNode,gone=new AbortController(),{signal}=gone;
let ghost=null,drop=null,marked=null;
const mark=(node,kind)=>{marked?.classList.remove("nl-drop","nl-dropwin");marked=node;node?.classList.add(kind);};
document.addEventListener("pointermove",(e)=>{
if(!ghost){
if(Math.hypot(e.clientX - x0,e.clientY - y0)<7)return;
ghost=chip.cloneNode(true);
ghost.classList.add("nl-ghost");
ghost.style.width=`${chip.offsetWidth}px`;
home.append(ghost);
chip.addEventListener("click",(c)=>{c.stopImmediatePropagation();},{once:true,capture:true});
}
const lab=home.closest(".nta-lab").getBoundingClientRect();
ghost.style.left=`${e.clientX - lab.left - 20}px`;
ghost.style.top=`${e.clientY - lab.top - 30}px`;
const under=document.elementFromPoint(e.clientX,e.clientY),winner=under?.closest(".nl-winner"),row=under?.closest(".nl-chips");
drop=null;
if(winner){drop=()=>winner.ntaWin(name);mark(winner,"nl-dropwin");}
else if(row){
const{chips,insert}=row.ntaDrop,i=chips.findIndex((c)=>{const r=c.chip.getBoundingClientRect();return e.clientX<r.left + r.width / 2;}),to=i<0?chips.length:i;
drop=()=>(row===home?moveTo(to):insert(to,name));
mark(chips[to]?.chip??chips.winner,"nl-drop");
}else mark(null);
},{signal});
const end=(e)=>{
gone.abort();
mark(null);
ghost?.remove();
if(ghost&&e.type==="pointerup")setTimeout(()=>drop?.());
};
for(const type of["pointerup","pointercancel"])document.addEventListener(type,end,{signal});
}
export function racesView(ui){
const{lab}=ui,el=h("ol",{class:"nl-races"});
let rows=[];
const make=(i)=>{
const{kind,raw,tokens,label,problem,column}=lab.parsed.lines[i],title=`race ${i + 1}`;
const drop=button("✕",()=>ui.edit(lab.withLines(i,1),{row:i,at:0}),{class:"nl-tool","aria-label":`Remove ${title}`});
if(kind==="comment")return{el:h("li",{class:"nl-comment"},h("span",{say:raw.replace(/^[\s#]+/,"")}),drop)};
if(kind==="bad"){
const field=h("input",{value:raw,"aria-label":title,"aria-invalid":"true",onchange:()=>ui.edit(lab.withLines(i,1,{raw:field.value}))});
return{el:h("li",null,h("div",{class:"nl-row"},field,drop),h("p",{class:"nl-problem",say:`Line ${i + 1}, column ${column}: ${problem}.`}))};
}
if(kind!=="race")return null;
const chips=chipRow(ui,{tokens,label},title,(race,at)=>ui.edit(lab.withLines(i,1,...(race.tokens.length?[race]:[])),{row:i,at})),about=h("span",{class:"nl-hidden"});
const again=button("+1",()=>ui.edit(lab.withLines(i,0,{raw}),{row:i + 1,at:0}),{class:"nl-tool",title:"Run this race once more","aria-label":`Run ${title} again`});
return{chips,about,el:h("li",null,h("div",{class:"nl-row"},chips.el,h("span",{class:"nl-tools"},again,drop)),!tokens.includes(label)&&h("p",{class:"nl-problem",say:`${label} does not run here, so this race teaches nothing (Assumption 2).`}),about)};
};
const each=(f)=>lab.data.rows.forEach(({tokens,line},r)=>f(rows[line],tokens,attention(lab.W,lab.data.K,tokens),lab.limits[r]));
return{
el,
build:(focus)=>{
const spare=new Map(rows.filter(Boolean).map((row)=>[row.key,row]));
rows=lab.parsed.lines.map(({kind,raw},i)=>{
const key=`${i} ${kind} ${raw}`,row=spare.get(key)??make(i);
return row&&Object.assign(row,{key});
});
arrange(el,rows.filter(Boolean).map((row)=>row.el));
const{chips}=rows[Math.min(focus?.row,rows.length - 1)]?.chips??{};
if(chips)(focus.at<0?chips.winner:(chips[focus.at]??chips[0]).chip).focus();
},
update:()=>each((row,tokens,p,goal)=>row.chips.update(p,goal)),
describe:()=>each((row,tokens,p,goal)=>put(row.about,`Attention: ${tokens.map((t, i) => `${lab.data.names[t]} ${percent(p[i])} percent, limit ${percent(goal[i])}`).join("; ")}.`)),
};
}
export function textView(ui){
const{lab}=ui,errors=h("ul");
let typed=0;
const area=h("textarea",{spellcheck:"false",rows:12,"aria-label":"Races as text, one per line: a b c -> b",maxlength:LIMITS.text,oninput:()=>{
const keepPast=performance.now()- typed<900;
typed=performance.now();
ui.edit(area.value,null,{keepPast});
}});
return{el:h("div",{class:"nl-text"},area,errors),area,build:()=>{
if(area.value!==lab.draft)area.value=lab.draft;
errors.replaceChildren(...lab.parsed.problems.map(({line,column,message})=>h("li",{class:"nl-problem"},button(`Line ${line}, column ${column}: ${message}.`,()=>{
const start=total(lab.draft.split("\n").slice(0,line - 1).map((l)=>l.length + 1));
area.focus();
area.setSelectionRange(start + column - 1,start + lab.parsed.lines[line - 1].raw.length);
},{class:"nl-link"}))));
}};
}
export function stageView(ui,compact){
const{lab}=ui,goes=["nl-go","nl-go nl-float"].map((name)=>button("",()=>ui.train(!ui.running),{class:name})),stop=(act)=>()=>{ui.train(false);act();ui.redraw();};
const loss=meter("Loss","Mean loss; the dotted line is what it can fall to"),turn=meter("Cosine","Cosine of W with the league table W_svm"),far=meter("Soft part","Distance of the scores inside the leagues to the strengths W_fin");
const count=h("b",{class:"nl-count"}),speed=h("input",{type:"range",min:0,max:SPEEDS.length - 1,oninput:()=>{lab.settings.speed=+speed.value;ui.redraw();}});
const options=compact?[]:[
["normalized","Descent",[[true,"normalized"],[false,"plain"]]],["eta","Step size",ETAS.map((v)=>[v,v])],
["loss","Loss",[["log","log"],["squared","squared"]]],["seed","Start",[[null,"W = 0"],...[1,2,3,4,5].map((s)=>[s,`random ${s}`])]],
].map(([name,label,values])=>[name,pick(label,values,(v)=>{lab.set(name,v);ui.redraw();})]);
return{
float:goes[1],
el:h("div",{class:"nl-stage"},h("div",{class:"nl-bar"},goes[0],button("Step",stop(()=>lab.advance(1))),button("Reset",stop(()=>lab.reset())),h("label",{class:"nl-pick"},h("span",{say:"Speed"}),speed),count),
h("div",{class:"nl-meters"},loss.el,turn.el,far.el),h("div",{class:"nl-bar"},...options.map(([,o])=>o.el))),
update:()=>{
const past=(key)=>lab.history.map((p)=>[p.steps,p[key]]),{settings,now}=lab;
for(const go of goes)put(go,ui.running?"❚❚ Pause":"▶ Train");
put(count,`step ${lab.steps}`);
speed.value=settings.speed;
speed.setAttribute("aria-valuetext",`${SPEEDS[settings.speed]} steps per second`);
loss.update(show(now.loss),past("loss"),settings.loss==="log"?lab.infimum:NaN);
turn.update(show(now.cosine,4),past("cosine"),lab.theory.norm?1:NaN);
far.update(show(now.distance),past("distance"),0);
for(const[name,option]of options)option.set(settings[name]);
},
};
}
export function playView(ui){
const{lab}=ui,holder=h("div"),answers=h("tbody"),verdict=h("p",{class:"nl-verdict","aria-live":"polite"});
let who="automaton",row=null,bars=[];
const speak=(count)=>{for(let i=0;i<count&&lab.context.length;i++)lab.speak(who);ui.redraw();};
const shuffle=()=>{const{K}=lab.data;lab.context=Array.from({length:K&&4},()=>Math.floor(lab.random()*K));ui.redraw();};
return{
el:h("section",{class:"nl-play","aria-label":"Play"},h("h3",{say:"Play: which token comes next?"}),holder,
h("div",{class:"nl-answer"},h("table",null,h("thead",null,h("tr",null,...["Token","Automaton","Network"].map((say)=>h("th",{scope:"col",say})))),answers),verdict),
h("div",{class:"nl-bar"},button("Next token",()=>speak(1)),button("Eight more",()=>speak(8)),pick("by",[["automaton","the automaton"],["network","the network"]],(v)=>{who=v;}).el,button("Another context",shuffle))),
build:()=>{
const{context,data:{names,K}}=lab;
row=chipRow(ui,{tokens:context.map((t)=>names[t])},"the context",(race,at)=>{lab.setContext(race.tokens);ui.redraw();row.chips[at]?.chip.focus();});
holder.replaceChildren(row.el);
bars=[...new Set(context)].sort((a,b)=>a - b).map((t)=>[t,...["nl-theory",""].map((kind)=>({fill:h("i",{class:`nl-hfill ${kind}`}),value:h("span")}))]);
answers.replaceChildren(...bars.map(([t,...pair])=>h("tr",null,h("th",{scope:"row",say:names[t]}),...pair.map(({fill,value})=>h("td",null,h("span",{class:"nl-hbar"},fill),value)))));
put(verdict,context.length?describeContext(names,context,automaton(lab.theory,K,context)):"Add tokens: the last one is the query.");
},
update:()=>{
const{context,data:{K}}=lab;
if(!context.length)return;
const p=attention(lab.W,K,context),{probabilities:q}=automaton(lab.theory,K,context);
row.update(p,q);
for(const[t,...pair]of bars)pair.forEach(({fill,value},i)=>{
const mass=total(context.map((x,j)=>(x===t?[q,p][i][j]:0)));
fill.style.transform=`scaleX(${mass.toFixed(3)})`;
put(value,`${percent(mass)}%`);
});
},
};
}
const PREFIX="#lab=";
let owner=null;
function render({model,el}){
const compact=!!model.get("compact"),home=model.get("home")||"";
const given=()=>(textInForce(parseText(model.get("draft")??""))===model.get("text")?model.get("draft"):model.get("text")),lab=new Lab(given());
const keeps=!!model.get("address")&&!owner,calm=matchMedia("(prefers-reduced-motion: reduce)"),gone=new AbortController();
const root=h("div",{class:`nta-lab${compact ? " nl-compact" : ""}`,role:"group",tabindex:-1,"aria-label":"Token Lab"}),cache=new Map();
let raf=0,clock=0,debt=0,drawn=0,spoken=0,later=0,touched=false,typing=false,telling=false,tracks=[],ownDraft=OWN;
const ui={
lab,root,running:false,closeMenu:()=>{},
menu:(...args)=>openMenu(ui,...args),
edit(draft,focus,how){change(()=>lab.edit(draft,how),focus);},
redraw(){play?.build();frame();settle();},
tell(text){put(words,text);words.classList.add("nl-alarm");},
train(on){
ui.running=on&&lab.problem.used>0;
cancelAnimationFrame(raf);
if(ui.running){lab.say="";clock=debt=0;raf=requestAnimationFrame(tick);}
frame();settle();
},
};
const words=h("p",{class:"nl-words nta-words",role:"status","aria-live":"polite"}),board=h("div",{class:"nl-board"});
const races=racesView(ui),text=textView(ui),stage=stageView(ui,compact),play=compact?null:playView(ui);
function rebuild(focus){
const{data:{names},theory}=lab,inside=root.contains(document.activeElement);
(typing?text:races).build(focus);
if(cache.size>60)cache.clear();
tracks=theory.graphs.map((g)=>{
const key=JSON.stringify([names,g.last,g.nodes,g.edges,...[theory.Wsvm,theory.Wfin].map((W)=>names.map((_,t)=>W[t*names.length + g.last].toFixed(9)))]);
if(!cache.has(key))cache.set(key,trackPicture(lab,g,compact));
return cache.get(key);
});
arrange(board,tracks.map((t)=>t.el));
undo.disabled=!lab.past.length;
redo.disabled=!lab.future.length;
ui.redraw();
if(inside&&!root.contains(document.activeElement))root.focus({preventScroll:true});
}
function frame(){
if(!typing)races.update();
for(const t of tracks)t.update();
stage.update();
play?.update();
}
function settle(){
words.classList.remove("nl-alarm");
put(words,lab.inWords());
const name=PRESETS.find(([,draft])=>draft===lab.draft)?.[0]??"Your own";
for(const b of presets)b.setAttribute("aria-pressed",b.textContent===name);
clearTimeout(later);
later=setTimeout(()=>{
if(!typing)races.describe();
for(const t of tracks)t.describe();
if(keeps&&touched)write();
},250);
}
function tick(time){
debt +=(SPEEDS[lab.settings.speed]*Math.min(100,clock?time - clock:16))/ 1000;
clock=time;
let todo=Math.floor(debt);
debt -=todo;
for(const until=performance.now()+ 11;todo>0&&performance.now()<until;todo -=20)lab.advance(Math.min(20,todo));
if(!calm.matches||time - drawn>600){drawn=time;frame();}
if(time - spoken>1500){spoken=time;put(words,lab.inWords());}
if(lab.steps<MAX_STEPS)raf=requestAnimationFrame(tick);else ui.train(false);
}
function change(act,focus){
act();
rebuild(focus);
telling=true;
model.set("draft",lab.draft);
model.set("text",textInForce(lab.parsed));
telling=false;
model.save_changes();
}
const fromModel=()=>{if(!telling&&given()!==lab.draft){lab.edit(given());rebuild();}};
function write(){
const code=lab.code();
history.replaceState({...history.state,ntaLab:code},"",PREFIX + code);
}
function recall(){
const{hash}=location,code=hash.startsWith(PREFIX)?hash.slice(PREFIX.length):history.state?.ntaLab;
if(!code||code===lab.code())return;
ui.train(false);
try{const state=decodeState(code);change(()=>lab.restore(state));}catch(error){ui.tell(error.message);}
}
const link=()=>(keeps?location.href.split("#")[0]:home)+ PREFIX + lab.code();
const presets=[...PRESETS,["Your own"]].map(([name,draft])=>button(name,()=>{
ui.train(false);
if(!PRESETS.some(([,d])=>d===lab.draft))ownDraft=lab.draft;
change(()=>lab.edit(draft??ownDraft,{fresh:true}));
}));
const undo=button("↶",()=>change(()=>lab.undo()),{"aria-label":"Undo"}),redo=button("↷",()=>change(()=>lab.redo()),{"aria-label":"Redo"});
const toggle=button("Text",()=>{
typing=!typing;
toggle.setAttribute("aria-pressed",typing);
races.el.hidden=typing;
text.el.hidden=!typing;
rebuild();
if(typing)text.area.focus();
},{"aria-pressed":"false"});
const add=button("+ Add a race",()=>{
const{lines}=lab.parsed,last=lines.findLastIndex((l)=>l.kind==="race"),at=last<0?lines.length:last + 1;
ui.edit(lab.withLines(at,0,lines[last]??{raw:"a b -> a"}),{row:at,at:0});
});
const told=h("span",{class:"nl-legend","aria-hidden":"true"});
const copied=h("textarea",{class:"nl-copy",readonly:"",rows:8,hidden:"","aria-label":"To copy"});
const copy=(what,make)=>button(`Copy ${what}`,async({target})=>{
copied.hidden=false;
copied.value=make();
copied.select();
put(words,await navigator.clipboard?.writeText(copied.value).then(()=>`The ${what} is copied.`,()=>"")||`Press Ctrl+C to copy the ${what}.`);
target.after(told);
put(told,words.textContent);
});
const python=()=>toPython({text:textInForce(lab.parsed),settings:lab.settings,steps:lab.steps,W0:startWeights(lab.data.K,lab.settings.seed)});
const more=h("a",{say:"Open the full lab →",href:home,onclick:()=>more.setAttribute("href",link())});
text.el.hidden=true;
root.append(h("style",{say:CSS}),h("div",{class:"nl-bar",role:"group","aria-label":"Examples"},...presets),stage.el,words,h("div",{class:"nl-main"},
h("section",{"aria-label":"Races"},h("div",{class:"nl-bar"},h("h3",{say:"Races"}),undo,redo,!compact&&toggle),races.el,text.el,h("div",{class:"nl-bar"},add,compact&&home&&more)),
h("section",{"aria-label":"League tables"},h("div",{class:"nl-bar"},h("h3",{say:"League tables"})),board)),stage.float,h("p",{class:"nl-legend",say:"★ the winner · pink bar: the last token, which names the track · bars and dots: the layer now · ◆ where theory says it ends · ✓ the step at which a win was decided, ten to one"}));
if(play)root.append(play.el,h("div",{class:"nl-bar"},(keeps||home)&&copy("link",link),copy("Python",python)),copied);
root.addEventListener("keydown",(e)=>{
const key=e.key.toLowerCase();
if(!(e.ctrlKey||e.metaKey)||!/^[zy]$/.test(key)||/INPUT|TEXTAREA/.test(e.target.tagName))return;
e.preventDefault();
(key==="z"&&!e.shiftKey?undo:redo).click();
});
for(const type of["pointerdown","keydown"])root.addEventListener(type,()=>{touched=true;},true);
root.ntaLab={lab,frame,rebuild};
keepKeys(root);
el.append(root);
model.on("change:text change:draft",fromModel);
rebuild();
if(keeps){
owner=root;
addEventListener("hashchange",recall,{signal:gone.signal});
addEventListener("pagehide",()=>touched&&write(),{signal:gone.signal});
recall();
}
return()=>{
cancelAnimationFrame(raf);clearTimeout(later);ui.closeMenu();gone.abort();
model.off("change:text change:draft",fromModel);
if(owner===root)owner=null;
root.remove();
};
}
export default{render};

// The Scan and Snap explorer, joined from nta_book/lab/scan_snap: change the parts, not this file.
const CSS=".nta-lab{--ink:var(--nta-ink,var(--jp-content-font-color1,#1B1F24));--muted:var(--nta-muted,var(--jp-content-font-color2,#5C6670));--line:var(--nta-line,var(--jp-border-color1,#C9CED6));--paper:var(--pst-color-background,var(--nta-paper,var(--jp-layout-color1,#fff)));--soft:color-mix(in srgb,var(--ink) 6%,var(--paper));--win:var(--nta-winner,#D55E00);--in:var(--nta-input,#5F6B7A);--last:var(--nta-last,#CC79A7);--l1:var(--nta-league-1,#0072B2);--l2:var(--nta-league-2,#009E73);--l3:var(--nta-league-3,#B97F00);--l4:var(--nta-league-4,#66758A);--prac:var(--nta-practice,#3A93C8);--mono:.9rem/1.5 ui-monospace,monospace;container-type:inline-size;position:relative;color:var(--ink);font:.94rem/1.45 system-ui,sans-serif;margin:.5rem 0;& *{box-sizing:border-box}& :is(p,ol,ul,h3,figure,table){margin:0;padding:0;list-style:none;color:inherit}& h3{font:650 1.02rem/1.4 system-ui,sans-serif;flex:1}& :is(button,select,input,textarea){font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.25rem .6rem;min-height:2.1rem}& :is(button,select){cursor:pointer;&:hover{border-color:var(--ink)}&:disabled{opacity:.4;cursor:default}}&:focus{outline:none}& :focus-visible{outline:2.5px solid var(--l1);outline-offset:1px}& [aria-pressed=true]{background:var(--ink);color:var(--paper);border-color:var(--ink)}.nl-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.nl-bar,.nl-row,.nl-trackrow,.nl-answer{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.35rem 0}.nl-go{background:var(--ink);color:var(--paper);border-color:var(--ink);font-weight:650;min-width:6.2rem}.nl-pick{display:inline-flex;gap:.35rem;align-items:center}.nl-legend,.nl-pick > span,.nl-meter > span,.nl-plot > p,.nl-comment,figcaption span{color:var(--muted);font-size:.86em}& input[type=range]{accent-color:var(--l1);padding:0;width:6.5rem;border:0;background:none}.nl-words{min-height:3em;margin:.6rem 0;padding-left:.7rem;border-left:4px solid var(--l1);&.nl-alarm{border-color:var(--win)}}}[data-jp-theme-light=false] .nta-lab{--win:#F5853F;--in:#9AA7B8;--last:#E29BC4;--l1:#4DA6DF;--l2:#2CC49A;--l3:#E69F00;--l4:#A3B1C6;--prac:#56B4E9}@media (pointer:coarse){.nta-lab :is(button,select,input){min-height:44px}}.nta-scan{--common:var(--l3);--distinct:var(--l1);--shared:var(--last);.ns-stage{min-height:320px;overflow:hidden;& svg{display:block;max-width:100%}}.nl-words{min-height:5.9em}& svg text{fill:var(--ink);font:12px system-ui,sans-serif}& sub{font-size:.75em;line-height:0}.ns-mid{text-anchor:middle}.ns-end{text-anchor:end}& svg .ns-title{fill:var(--muted)}& svg .ns-name{font-weight:650;&.ns-common{fill:var(--common)}&.ns-distinct{fill:var(--distinct)}&.ns-shared{fill:var(--shared)}&.ns-runname{fill:var(--prac)}}.ns-grid{stroke:var(--line);opacity:.6}.ns-axis{stroke:var(--muted)}.ns-bar{&.ns-common{fill:var(--common)}&.ns-distinct{fill:var(--distinct)}&.ns-shared{fill:var(--shared)}}.ns-start{stroke:var(--ink);stroke-width:2}.ns-line{stroke-width:1.6;&.ns-common{stroke:var(--common);stroke-dasharray:6 3}&.ns-distinct{stroke:var(--distinct)}&.ns-shared{stroke:var(--shared);stroke-width:3}&.ns-run{stroke:var(--prac);stroke-width:2.5}}.ns-theory{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:2 4}.ns-band{fill:var(--ink);opacity:.08}.ns-now{stroke:var(--win);stroke-width:1.5}.ns-controls{display:grid;gap:.3rem 1.1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,12.5rem),1fr));align-items:end;margin:.7rem 0 .4rem;& .nl-pick:has(select){display:grid;gap:.1rem}}.ns-slider{display:grid;grid-template-columns:1fr auto;gap:0 .5rem;& > span{color:var(--muted);font-size:.86em}& output{font-variant-numeric:tabular-nums;font-weight:600}& input[type=range]{grid-column:1 / -1;width:100%;min-height:1.7rem}}.ns-time{flex-wrap:nowrap;& .ns-slider{flex:1;grid-template-columns:minmax(4rem,1fr) auto;align-items:center;& > span{display:none}& output{order:2;min-width:5rem}& input[type=range]{grid-column:auto}}}.ns-tags{display:flex;flex-wrap:wrap;gap:.3rem .4rem;& li{border:1px solid var(--line);border-radius:12px;padding:.05rem .6rem;font-size:.86em}& .ns-holds{border-color:var(--l2)}& .ns-fails{border-color:var(--win)}}& details{margin:.3rem 0;& summary{cursor:pointer;padding:.25rem 0;width:fit-content}}& input[type=checkbox]{min-height:0;width:1.15rem;height:1.15rem;padding:0;accent-color:var(--l1)}}@container (max-width:480px){.nta-scan{& .ns-controls{grid-template-columns:repeat(2,1fr)}& .ns-time{flex-wrap:wrap;& .ns-slider{order:-1;flex:1 0 100%}}& .nl-words{min-height:13em}}}";
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
const STEPS=[100,300,1000,3000];
const whole=(low,high)=>Array.from({length:high - low + 1},(_,i)=>low + i);
export const SLIDERS=[
{name:"eta_y",label:"Decoder rate η_Y",values:[0.1,0.15,0.2,0.3,0.4,0.5,0.7,1,1.5,2,3,4,5,7,10]},
{name:"eta_z",label:"Attention rate η_Z",values:[0.05,0.07,0.1,0.15,0.2,0.3,0.4,0.5,0.7,1,1.5,2,3]},
{name:"K",label:"Classes K",values:whole(2,8)},
{name:"common",label:"Common tokens",values:whole(0,10)},
{name:"distinct",label:"Distinct tokens per class",values:whole(2,10)},
{name:"queries",label:"Queries",values:whole(1,8),more:true},
{name:"common_weight",label:"Weight of a common token",values:[0.1,0.2,0.3,0.5,0.7,1,1.5,2,3],more:true},
{name:"lowest",label:"Lowest weight of a distinct token",values:[0.05,0.1,0.2,0.3,0.5,0.7,0.9,1,1.5,2],more:true},
{name:"highest",label:"Highest weight of a distinct token",values:[0.1,0.2,0.3,0.5,0.7,0.9,1,1.5,2,3],more:true},
{name:"unused",label:"Unused outputs",values:[0,10,30,100,300,1000,3000],more:true},
{name:"shared",label:"Weight r of the shared token",values:Array.from({length:51},(_,i)=>i / 50),more:true},
];
export const CHOICES=[
{name:"optimizer",label:"Optimizer",options:[["plain","plain descent"],["momentum","momentum 0.9"],["adam","Adam"]]},
{name:"steps",label:"Train for",options:STEPS.map((n)=>[n,`${n} steps`]),more:true},
];
export function changed(settings,name,value){
const next={...settings,[name]:value};
if(name==="lowest")next.highest=Math.max(next.highest,value);
if(name==="highest")next.lowest=Math.min(next.lowest,value);
next.queries=Math.min(next.queries,next.K);
return next;
}
export function looks(steps){
const unique=(list)=>[...new Set(list)],part=Array.from({length:101},(_,i)=>i / 100);
const linear=unique(part.map((x)=>Math.round(steps*x)));
const log=unique([0,...part.map((x)=>Math.round(steps**x))]);
return{linear,log,all:unique([...linear,...log]).sort((a,b)=>a - b)};
}
const LETTERS="abdefghi";
export function makeClasses(o){
const{K,queries:Q,common:commons,distinct}=o,extra=o.shared===null?0:1,L=commons + K*distinct + extra;
const P=Array.from({length:K},(_,n)=>{
const row=new Float64Array(L).fill(o.common_weight,0,commons);
for(let i=0;i<distinct;i++)row[commons + n*distinct + i]=o.lowest +((o.highest - o.lowest)*i)/(distinct - 1);
if(extra&&n<2)row[L - 1]=n?o.shared:1;
const total=row.reduce((a,b)=>a + b,0);
return row.map((weight)=>weight / total);
});
const tokens=Array.from({length:L},(_,l)=>l),tokensOf=P.map((row)=>tokens.filter((l)=>row[l]>0));
const common=tokens.map((l)=>P.filter((row)=>row[l]>0).length>1),distinctOf=tokensOf.map((list)=>list.filter((l)=>!common[l]));
const names=tokens.map((l)=>(l<commons?`c${l + 1}`:extra&&l===L - 1?"shared":LETTERS[Math.floor((l - commons)/ distinct)]+(((l - commons)% distinct)+ 1)));
return{
P,K,L,Q,M:L + Q + K + o.unused,common,tokensOf,distinctOf,names,shared:extra?L - 1:-1,
query:P.map((_,n)=>Math.floor((n*Q)/ K)),
top:P.map((row,n)=>distinctOf[n].reduce((best,l)=>(row[l]>row[best]?l:best))),
};
}
export function attend(row,tokens,z,c){
let highest=-Infinity,sum=0;
for(const l of tokens)if(z[l]>highest)highest=z[l];
for(const l of tokens)sum +=c[l]=row[l]*Math.exp(z[l]- highest);
for(const l of tokens)c[l]/=sum;
return c;
}
export function normalized(c){
let squares=0;
for(const value of c)squares +=value*value;
const length=Math.sqrt(squares);
return c.map((value)=>value / length);
}
export function overlaps({P}){
const f=P.map(normalized);
return f.map((a,n)=>f.map((b,m)=>(n===m?0:a.reduce((s,x,l)=>s + x*b[l],0))));
}
export function largestEigenvalue(E){
const times=(v)=>E.map((row)=>row.reduce((s,e,j)=>s + e*v[j],0));
let v=E.map((_,i)=>1 + i / 7),size=0;
for(let step=0;step<200;step++){
const w=times(times(v)),length=Math.hypot(...w);
if(!length)return 0;
size=Math.sqrt(length / Math.hypot(...v));
v=w.map((x)=>x / length);
}
return size;
}
const BETAS=[0.9,0.999],EPSILON=1e-8;
function makeOptimizer(kind,rate,size){
const mean=new Float64Array(size),square=new Float64Array(size),momentum=kind==="momentum"?0.9:0;
let steps=0;
return(parameter,gradient)=>{
steps++;
const bias=1 - BETAS[1]**steps,pace=rate /(1 - BETAS[0]**steps);
for(let i=0;i<size;i++){
const slope=gradient[i];
if(kind==="adam"){
mean[i]=BETAS[0]*mean[i]+(1 - BETAS[0])*slope;
square[i]=BETAS[1]*square[i]+(1 - BETAS[1])*slope*slope;
parameter[i]-=(pace*mean[i])/(Math.sqrt(square[i]/ bias)+ EPSILON);
}else{
mean[i]=momentum*mean[i]+ slope;
parameter[i]-=rate*mean[i];
}
}
};
}
function makeSlopes({P,query,tokensOf,K,L,M}){
const C=K + 1,f=new Float64Array(L),g=new Float64Array(L),alpha=new Float64Array(C);
return(Z,Y,gradZ,gradY,answers)=>{
let loss=0;
gradZ.fill(0);
gradY.fill(0);
for(let n=0;n<K;n++){
const tokens=tokensOf[n],row=query[n]*L;
attend(P[n],tokens,Z.subarray(row,row + L),f);
let squares=0,highest=-Infinity,sum=0,along=0;
for(const l of tokens)squares +=f[l]*f[l];
alpha.fill(0);
for(const l of tokens){
f[l]/=Math.sqrt(squares);
for(let j=0;j<C;j++)alpha[j]+=f[l]*Y[l*C + j];
}
for(let j=0;j<C;j++)if(alpha[j]>highest)highest=alpha[j];
const own=alpha[n]- highest;
for(let j=0;j<C;j++)sum +=alpha[j]=Math.exp(alpha[j]- highest)*(j===K?M - K:1);
loss +=(Math.log(sum)- own)/ K;
for(let j=0;j<C;j++)alpha[j]=(j===n?1:0)- alpha[j]/ sum;
for(let j=0;j<K;j++)answers[n*K + j]=(j===n?1:0)- alpha[j];
for(const l of tokens){
g[l]=0;
for(let j=0;j<C;j++){
g[l]+=Y[l*C + j]*alpha[j];
gradY[l*C + j]-=(f[l]*(j===K?alpha[j]/(M - K):alpha[j]))/ K;
}
along +=f[l]*g[l];
}
for(const l of tokens)gradZ[row + l]-=(f[l]*(g[l]- f[l]*along))/ K;
}
return loss;
};
}
export function train(classes,{eta_y,eta_z,optimizer},record){
const{K,L,Q}=classes,sizes=[Q*L,L*(K + 1)];
const[Z,Y]=sizes.map((size)=>new Float64Array(size)),[gradZ,gradY]=sizes.map((size)=>new Float64Array(size));
const moveZ=makeOptimizer(optimizer,eta_z,Q*L),moveY=makeOptimizer(optimizer,eta_y,L*(K + 1));
const slopes=makeSlopes(classes),answers=new Float64Array(K*K),path={times:[],Z:[],losses:[],answers:[],broken:null};
for(let step=0,next=0;next<record.length;step++){
const loss=slopes(Z,Y,gradZ,gradY,answers);
if(!Number.isFinite(loss)){path.broken=step;break;}
if(step===record[next]){
path.times.push(step);
path.Z.push(Z.slice());
path.losses.push(loss);
path.answers.push(answers.slice());
next++;
}
moveZ(Z,gradZ);
moveY(Y,gradY);
}
return path;
}
export function theoryOf(classes,{eta_y,eta_z}){
const{K,M}=classes,overlap=overlaps(classes).flat().reduce((a,b)=>a + b,0)/(K*(K - 1));
return{K,M,eta_y,eta_z:eta_z / K,C0:1 /((K - 1)*overlap**2)};
}
function height({K,M,eta_y},t){
const visits=(M*eta_y*t)/ K + 1;
let u=Math.min(Math.log(visits),visits /(M - 1));
for(let step=0;step<60;step++){
const move=(Math.exp(u)+(M - 1)*u - visits)/(Math.exp(u)+ M - 1);
u -=move;
if(Math.abs(move)<1e-15*(1 + Math.abs(u)))break;
}
return u;
}
export function drive(theory,t){
const u=height(theory,t),{M}=theory;
return((M - 1)**2*u)/ M /(M - 1 + Math.exp(u));
}
export function bound(theory,t){
const{K,M,eta_y,eta_z,C0}=theory,h=height(theory,t)/ M;
return 0.25*Math.log1p((2*eta_z*K*((M - 1)*h)**2)/ eta_y / C0);
}
export function snapTime({K,M,eta_y}){
let u=Math.log(M);
for(let step=0;step<60;step++)u -=((u - 1)*Math.exp(u)-(M - 1))/(u*Math.exp(u));
return(K /(M*eta_y))*(Math.exp(u)+(M - 1)*u - 1);
}
export const scanEnd=({K,M,eta_y})=>(K*Math.log(M))/ eta_y;
const sum=(list)=>list.reduce((a,b)=>a + b,0);
const meanOf=(list)=>sum(list)/ list.length;
export function attentionPath({P,query,tokensOf,L},path){
return path.Z.map((Z)=>P.map((row,n)=>attend(row,tokensOf[n],Z.subarray(query[n]*L,(query[n]+ 1)*L),new Float64Array(L))));
}
export const commonMass=({common},c)=>c.reduce((s,value,l)=>s +(common[l]?value:0),0);
export function distinctEntropy({distinctOf},n,c){
const own=distinctOf[n].map((l)=>c[l]),total=sum(own);
return -sum(own.map((value)=>(value>0?(value / total)*Math.log(value / total):0)));
}
export function speeds(times,attention){
return times.slice(1).map((t,i)=>{
const moved=meanOf(attention[i].map((c,n)=>c.reduce((s,value,l)=>s + Math.abs(attention[i + 1][n][l]- value),0)));
return[(t + times[i])/ 2,moved /(t - times[i])];
});
}
export function findSnap(times,fast){
const peak=Math.max(...fast.map(([,v])=>v));
if(!(peak>1e-12))return null;
const quiet=fast.findLastIndex(([,v])=>v>=peak / 10)+ 1;
return{peak:times[fast.findIndex(([,v])=>v===peak)],quiet:quiet<fast.length?times[quiet]:Infinity};
}
export function identityGap({P,query,distinctOf,top,L},path,n,until){
const lead=top[n],rivals=distinctOf[n].filter((l)=>P[n][l]<P[n][lead]);
let worst=0;
for(let i=1;i<=until;i++){
const z=path.Z[i].subarray(query[n]*L,(query[n]+ 1)*L);
for(const l of rivals){
const start=Math.log(P[n][lead]/ P[n][l]),now=start + z[lead]- z[l];
worst=Math.max(worst,Math.abs((Math.expm1(-2*now)/ Math.expm1(-2*start))*Math.exp(-2*z[l])- 1));
}
}
return worst;
}
export function decoderAt({K},answers){
const own=meanOf(Array.from({length:K},(_,n)=>answers[n*K + n]));
return{own,leaked:sum([...answers])/ K - own};
}
export const VIEWS=["attention","logits","speed","growth","decoder"];
export class Experiment{
constructor(settings,view){
this.n=0;
this.view=view;
this.axes={attention:"linear",logits:"linear",speed:"log",growth:"log",decoder:"linear"};
this.load(settings);
this.end();
}
load(settings){
const place=this.path?this.frame / Math.max(1,this.frames.length - 1):1;
this.settings=settings;
const classes=(this.classes=makeClasses(settings));
this.n=Math.min(this.n,classes.K - 1);
this.looks=looks(settings.steps);
this.path=train(classes,settings,this.looks.all);
const{times}=this.path;
this.attention=attentionPath(classes,this.path);
this.speeds=speeds(times,this.attention);
this.snap=findSnap(times,this.speeds);
this.decoder=this.path.answers.map((answers)=>decoderAt(classes,answers));
this.theory=theoryOf(classes,settings);
this.largest=largestEigenvalue(overlaps(classes));
this.marks={snap:snapTime(this.theory),scan:scanEnd(this.theory)};
this.frame=Math.round(place*(this.frames.length - 1));
}
set(name,value){this.load(changed(this.settings,name,value));}
end(){this.frame=this.frames.length - 1;}
get axis(){return this.axes[this.view];}
set axis(kind){const{time}=this;this.axes[this.view]=kind;this.goto(time);}
get frames(){const{times}=this.path;return this.looks[this.axis].filter((t)=>t<=times.at(-1));}
get time(){return this.frames[this.frame];}
get at(){return this.path.times.indexOf(this.time);}
goto(time){
const{frames}=this;
this.frame=frames.reduce((best,t,i)=>(Math.abs(t - time)<Math.abs(frames[best]- time)?i:best),0);
}
show(view){const{time}=this;this.view=view;this.goto(time);}
logit(i,l){const{query,L}=this.classes;return this.path.Z[i][query[this.n]*L + l];}
growthBounds(t){
const{P,top}=this.classes,f=normalized(P[this.n])[top[this.n]],B=bound(this.theory,t);
return[2*f*f*B,2*B];
}
drive(t){return drive(this.theory,t);}
}
export const number=(v,digits=3)=>(v===0?"0":Math.abs(v)<1e-3||Math.abs(v)>=1e5?v.toExponential(1).replace("e+","e"):String(+v.toPrecision(digits))).replace("-","−");
const share=(p)=>`${p > 0 && p < 0.005 ? "<1" : p < 1 && p > 0.995 ? ">99" : Math.round(100 * p)}%`;
const shares=(a,b)=>(share(a)===share(b)&&Math.abs(a - b)>5e-5?[a,b].map((p)=>`${(100 * p).toFixed(2)}%`):[a,b].map(share));
const signedLogit=(z)=>(Math.abs(z)<0.005?"0":(z>0?"+":"−")+ Math.abs(z).toFixed(2));
const CALLED={momentum:"Momentum 0.9",adam:"Adam"};
const power=(x)=>(x<11?number(Math.exp(x)):`10^${Math.round(x / Math.LN10)}`);
function leadership({classes:{P,distinctOf,top,names},n,attention,at}){
const own=distinctOf[n],now=attention[at][n],start=attention[0][n],best=own.reduce((a,l)=>(now[l]>now[a]+ 1e-12?l:a),top[n]);
if(own.every((l)=>P[n][l]===P[n][own[0]]))return `All distinct tokens are equally frequent and stay equal, at ${share(now[top[n]])} each.`;
if(at===0)return `Before training attention follows the frequencies: ${names[best]} leads the distinct tokens with ${share(now[best])}.`;
const why=best===top[n]?"It is the most frequent one.":`The most frequent one, ${names[top[n]]}, has ${share(now[top[n]])}.`,[from,to]=shares(start[best],now[best]);
return `${names[best]} leads the distinct tokens of this class with ${to} of attention (${from} at the start). ${why}`;
}
function commons(lab){
const{classes,n,attention,at,settings}=lab,[start,now]=[0,at].map((i)=>commonMass(classes,attention[i][n])),[from,to]=shares(start,now),said=[];
if(settings.common)said.push(`Common tokens ${Math.abs(now - start) < 1e-9 ? `hold ${from}` : `${now < start ? "fell" : "rose"} from ${from} to ${to}`}.`);
else if(classes.shared<0)said.push("No token is shared, so nothing pushes attention: it stays where it is.");
if(classes.shared>=0&&at>0&&n<2&&classes.P[n][classes.shared]){
const z=lab.logit(at,classes.shared);
said.push(`The shared token has logit ${signedLogit(z)}: ${Math.abs(z) < 0.005 ? "it stands at its flip" : z > 0 ? "it rises like a distinct token" : "it sinks like a common token"}.`);
}
return said.join(" ");
}
function pace({snap}){
if(!snap)return "";
const rest=snap.quiet===Infinity?"is still above a tenth of that speed at the end":`is below a tenth of that speed from step ${snap.quiet} on`;
return `Attention moves fastest at step ${snap.peak} and ${rest}.`;
}
function aboutView(lab){
const{view,at,time,path,classes,n,decoder,marks}=lab;
if(view==="speed")return `Theory puts the largest drive at t = ${number(marks.snap)} and the turn between ${number(marks.scan)} and ${number(2 * marks.scan)}.`;
if(view==="growth"){
const[low,high]=lab.growthBounds(time);
return `χ of ${classes.names[classes.top[n]]} is ${power(2 * lab.logit(at, classes.top[n]))}; Theorem 3 with the paper's drive says ${power(low)} to ${power(high)}.`;
}
if(view==="decoder")return `The decoder gives the right answer ${share(decoder[at].own)} and leaks ${share(decoder[at].leaked)} to the other classes; loss ${number(path.losses[at])}.`;
return "";
}
export function inWords(lab){
const{path,at,time,attention,classes,n,settings}=lab,entropy=(i)=>distinctEntropy(classes,n,attention[i][n]).toFixed(2);
const parts=[`Step ${time} of ${settings.steps}.`,leadership(lab),commons(lab),`Entropy on the distinct tokens: ${at ? `${entropy(0)} → ` : ""}${entropy(at)}.`,pace(lab),aboutView(lab)];
if(path.broken!==null)parts.unshift(`With these rates the numbers grew too large to compute at step ${path.broken}; you see the run up to step ${path.times.at(-1)}. Lower a rate to go on.`);
return parts.filter(Boolean).join(" ");
}
export function badges(lab){
const{classes,settings:{eta_y,eta_z,optimizer},largest,n,path,at}=lab,ratio=eta_z / eta_y,gap=identityGap(classes,path,n,at);
const weak=largest<1 / classes.K,fast=ratio<=0.1 + 1e-12,plain=optimizer==="plain",close=gap<0.08;
return[
[weak,`Assumption 2 ${weak ? "holds" : "fails"}: |λ₁(E)| = ${number(largest, 2)} ${weak ? "<" : "≥"} 1/K = ${number(1 / classes.K, 2)}`],
[fast,`${fast ? "Fast" : "Slow"} decoder: η_Z/η_Y = ${number(ratio, 2)} ${fast ? "≤" : ">"} 0.1`],
[plain,plain?"Plain descent, as in theory":`${CALLED[optimizer]}: theory has plain descent`],
[close,`Theorem 3's r(t) = r(0)·χ(t): off by ${gap < 10 ? share(gap) : "more than ten times"} so far`],
];
}
const EXPONENT="⁰¹²³⁴⁵⁶⁷⁸⁹";
const tenTo=(k)=>(k>=-3&&k<=3?String(+`1e${k}`):`10${k < 0 ? "⁻" : ""}${[...String(Math.abs(k))].map((d) => EXPONENT[d]).join("")}`);
export function ticks(low,high,log,count){
if(log){
const first=Math.ceil(low - 1e-9),last=Math.floor(high + 1e-9),stride=Math.max(1,Math.ceil((last - first)/ count)),marks=[];
for(let k=first;k<=last;k +=stride)marks.push([k,tenTo(k)]);
if(marks.length<2)for(const m of[2,5])for(let k=Math.floor(low);k<=last;k++){const v=k + Math.log10(m);if(v>low&&v<high)marks.push([v,Math.abs(k)>3?`${m}·${tenTo(k)}`:number(m*10**k)]);}
return marks;
}
const rough=(high - low)/ count,unit=10**Math.floor(Math.log10(rough)),step=[1,2,5,10].find((m)=>m*unit>=rough)*unit,marks=[];
for(let i=Math.ceil(low / step - 1e-9);i*step<=high + 1e-9*step;i++)marks.push([i*step,number(i*step)]);
return marks;
}
export function frame(svg,box,x,y){
const left=box.x + 44,right=box.x + box.width - box.margin,top=box.y + 20,bottom=box.y + box.height - 36;
const X=(v)=>left +((right - left)*(v - x.low))/(x.high - x.low||1),Y=(v)=>bottom -((bottom - top)*(v - y.low))/(y.high - y.low||1);
for(const[v,say]of ticks(y.low,y.high,y.log,Math.max(2,(bottom - top)/ 44)))svg.append(line(left,Y(v),right,Y(v),{class:"ns-grid"}),h("text",{x:left - 5,y:Y(v)+ 4,class:"ns-end",say}));
for(const[v,say]of x.title?ticks(x.low,x.high,x.log,Math.max(2,(right - left)/ 80)):[])svg.append(line(X(v),bottom,X(v),bottom + 4,{class:"ns-axis"}),h("text",{x:X(v),y:bottom + 16,class:"ns-mid",say}));
svg.append(line(left,bottom,right,bottom,{class:"ns-axis"}),h("text",{x:box.x + 2,y:box.y + 11,class:"ns-title",say:y.title}),h("text",{x:right,y:bottom + 31,class:"ns-end ns-title",say:x.title??""}));
return{X,Y,left,right,top,bottom,svg};
}
const place=(v)=>v.toFixed(1);
export function curve({X,Y,svg},points,props){
const path=h("path",{d:route({X,Y},points),fill:"none",...props});
svg.append(path);
return path;
}
export const route=({X,Y},points)=>points.filter(([a,b])=>Number.isFinite(a)&&Number.isFinite(b)).map(([a,b],i)=>`${i ? "L" : "M"}${place(X(a))} ${place(Y(b))}`).join("");
export function labels({right,top,bottom,svg},list){
const sorted=list.toSorted((a,b)=>a.y - b.y);
let free=top - 8;
for(const item of sorted)free=(item.at=Math.max(item.y,free))+ 14;
free=bottom + 4;
for(const item of sorted.toReversed())free=(item.at=Math.min(item.at,free))- 14;
for(const{at,say,kind}of sorted)svg.append(h("text",{x:right + 5,y:at + 4,class:`ns-name ${kind}`,say}));
}
const HEIGHT=320;
const log10=Math.log10;
const picture=(width)=>h("svg",{viewBox:`0 0 ${width} ${HEIGHT}`,width,height:HEIGHT,role:"img"});
const boxOf=(width,margin)=>({x:0,y:0,width,height:HEIGHT,margin});
const kindOf=({classes:{common,shared}},l)=>(l===shared?"ns-shared":common[l]?"ns-common":"ns-distinct");
const ends=(values)=>[Math.min(...values),Math.max(...values)];
function timeAxis({axis,path:{times}},first=1){
const log=axis==="log",last=Math.max(times.at(-1),2);
return{axis:{low:log?log10(first):0,high:log?log10(last):last,log,title:`step${log ? ", log scale" : ""}`},T:(t)=>(log?(t<first?NaN:log10(t)):t)};
}
function cursor({X,top,bottom,svg},T){
const now=line(0,top,0,bottom,{class:"ns-now"});
svg.append(now);
return(t)=>{const x=X(T(t)),seen=Number.isFinite(x);now.setAttribute("visibility",seen?"visible":"hidden");if(seen)now.setAttribute("transform",`translate(${x.toFixed(1)} 0)`);};
}
function attentionView(lab,width){
const{classes:{tokensOf,common,names,shared},n,attention}=lab,svg=picture(width),tokens=tokensOf[n].toSorted((a,b)=>common[b]- common[a]||a - b);
const high=1.05*Math.max(...attention.flatMap((rows)=>tokens.map((l)=>rows[n][l]))),plot=frame(svg,boxOf(width,8),{low:0,high:1},{low:0,high:100*high,title:`attention of class ${n + 1}, %`});
const{left,right,bottom,Y}=plot,lane=(right - left)/ tokens.length,thick=Math.min(34,lane*0.78),roomy=lane>22;
const bars=tokens.map((l,i)=>{
const x=left + lane*(i + 0.5),bar=h("rect",{x:x - thick / 2,width:thick,class:`ns-bar ${kindOf(lab, l)}`}),y=Y(100*attention[0][n][l]);
svg.append(bar,line(x - thick / 2 - 2,y,x + thick / 2 + 2,y,{class:"ns-start"}));
if(roomy)svg.append(h("text",{x,y:bottom + 14,class:"ns-mid",say:l===shared?"sh.":names[l]}));
return(c)=>{const top=Y(100*c[l]);bar.setAttribute("y",top.toFixed(1));bar.setAttribute("height",Math.max(0,bottom - top).toFixed(1));};
});
for(const[kind,say]of[["ns-common","common"],["ns-distinct","distinct: rare to frequent"],["ns-shared","shared"]]){
const own=tokens.map((l,i)=>[l,i]).filter(([l])=>kindOf(lab,l)===kind).map(([,i])=>i);
if(own.length)svg.append(h("text",{x:left +(lane*(own[0]+ own.at(-1)+ 1))/ 2,y:bottom + 31,class:`ns-mid ns-name ${kind}`,say:own.length*lane<150&&kind==="ns-distinct"?"distinct":say}));
}
return{svg,update:(i)=>{
for(const bar of bars)bar(attention[i][n]);
svg.setAttribute("aria-label",`Bars: attention of class ${n + 1} at step ${lab.time}. ${tokens.map((l) => `${names[l]} ${number(100 * attention[i][n][l], 2)} percent`).join(", ")}.`);
}};
}
function logitsView(lab,width){
const{classes:{tokensOf,distinctOf,names,P,shared,top},n,path:{times},settings}=lab,svg=picture(width),{axis,T}=timeAxis(lab);
const tokens=tokensOf[n],looks=times.map((_,i)=>i),values=tokens.map((l)=>looks.map((i)=>lab.logit(i,l))),[low,high]=ends([...values.flat(),-0.01,0.01]);
const plot=frame(svg,boxOf(width,104),axis,{low,high,title:"attention logit z"}),last=looks.length - 1;
svg.append(line(plot.left,plot.Y(0),plot.right,plot.Y(0),{class:"ns-axis"}));
tokens.forEach((l,k)=>curve(plot,values[k].map((z,i)=>[T(times[i]),z]),{class:`ns-line ${kindOf(lab, l)}`,style:l===top[n]?"stroke-width:3":null}));
const rare=distinctOf[n].reduce((best,l)=>(P[n][l]<P[n][best]?l:best)),name=(l,say)=>({y:plot.Y(lab.logit(last,l)),say,kind:kindOf(lab,l)});
labels(plot,[name(top[n],`${names[top[n]]}, frequent`),rare!==top[n]&&name(rare,`${names[rare]}, rare`),settings.common&&name(0,settings.common>1?"common ×" + settings.common:"common"),tokens.includes(shared)&&name(shared,"shared")].filter(Boolean));
const move=cursor(plot,T);
return{svg,update:(i)=>{
move(times[i]);
svg.setAttribute("aria-label",`Lines: logits of class ${n + 1} over ${times.at(-1)} steps. At step ${times[i]}: ${tokens.map((l) => `${names[l]} ${number(lab.logit(i, l), 2)}`).join(", ")}.`);
}};
}
function speedView(lab,width){
const{speeds,marks,snap,axis:kind}=lab,svg=picture(width),log=kind==="log",{axis,T}=timeAxis(lab,0.5),V=log?(v)=>(v>0?log10(v):NaN):(v)=>v;
const peak=Math.max(...speeds.map(([,v])=>v)),live=speeds.filter(([,v])=>v>peak*1e-7);
if(!snap){svg.append(h("text",{x:width / 2,y:HEIGHT / 2,class:"ns-mid",say:"Nothing moves: no token is shared."}));svg.setAttribute("aria-label","Nothing moves: no token is shared.");return{svg,update:()=>{}};}
const strongest=lab.drive(marks.snap),theory=speeds.map(([t])=>[t,(lab.drive(t)/ strongest)*peak]),[low,high]=log?ends([...live,...theory].map(([,v])=>log10(v))):[0,peak];
const plot=frame(svg,boxOf(width,66),axis,{low:log?low - 0.1:0,high:log?high + 0.15:1.05*high,log,title:`speed of attention per step${log ? ", log scale" : ""}`}),{X,Y,top,bottom,left,right}=plot;
const inside=(t)=>Math.max(left,Math.min(right,X(Math.max(axis.low,T(Math.max(t,0.5)))))),from=inside(marks.scan),to=inside(2*marks.scan);
svg.prepend(h("rect",{x:from,y:top,width:Math.max(0,to - from),height:bottom - top,class:"ns-band"}));
if(marks.snap<lab.path.times.at(-1))svg.append(line(inside(marks.snap),top,inside(marks.snap),bottom,{class:"ns-theory"}),h("text",{x:inside(marks.snap)- 4,y:bottom - 6,class:"ns-end",say:"tγ"}));
if(to - from>30)svg.append(h("text",{x:(from + to)/ 2,y:bottom - 6,class:"ns-mid",say:"t0′ to t0"}));
curve(plot,theory.map(([t,v])=>[T(t),V(v)]),{class:"ns-theory"});
curve(plot,live.map(([t,v])=>[T(t),V(v)]),{class:"ns-line ns-run"});
labels(plot,[{y:Y(V(live.at(-1)[1])),say:"this run",kind:"ns-runname"},{y:Y(V(theory.at(-1)[1])),say:"theory γ",kind:""}]);
const move=cursor(plot,T);
return{svg,update:(i)=>{
move(lab.path.times[i]);
svg.setAttribute("aria-label",`Line: speed of attention over time; fastest at step ${snap.peak}, ${number(peak)} per step, ${number(speeds.at(-1)[1])} at the end. Dotted: theory's drive γ, scaled to the same height, with its peak at ${number(marks.snap)}.`);
}};
}
function growthView(lab,width){
const{classes:{top,names},n,path:{times}}=lab,svg=picture(width),{axis,T}=timeAxis(lab),lead=top[n],tens=(v)=>v / Math.LN10;
const run=times.map((t,i)=>[T(t),tens(2*lab.logit(i,lead))]),bands=times.map((t)=>[T(t),...lab.growthBounds(t).map(tens)]),sides=[1,2].map((k)=>bands.map((b)=>[b[0],b[k]]));
const[low,high]=ends([0,0.05,...run.map(([,v])=>v),...sides.flat().map(([,v])=>v)]),plot=frame(svg,boxOf(width,92),axis,{low,high,log:true,title:`χ of ${names[lead]}, log scale`});
const[lower,upper]=sides,area=route(plot,[...upper.toReversed(),...lower]);
svg.append(h("path",{d:area,class:"ns-band"}));
for(const side of sides)curve(plot,side,{class:"ns-theory"});
curve(plot,run,{class:"ns-line ns-run"});
labels(plot,[{y:plot.Y(run.at(-1)[1]),say:"this run",kind:"ns-runname"},{y:plot.Y(upper.at(-1)[1]),say:"theory, most",kind:""},{y:plot.Y(lower.at(-1)[1]),say:"theory, least",kind:""}]);
const move=cursor(plot,T);
return{svg,update:(i)=>{
move(times[i]);
const ten=(v)=>(v<5?number(10**v):`10 to the ${Math.round(v)}`);
svg.setAttribute("aria-label",`Line: growth χ of ${names[lead]}, at step ${times[i]}: this run ${ten(run[i][1])}, Theorem 3's bounds with the paper's drive ${ten(bands[i][1])} and ${ten(bands[i][2])}.`);
}};
}
function decoderView(lab,width){
const{path:{times,losses},decoder}=lab,svg=picture(width),{axis,T}=timeAxis(lab),half=HEIGHT / 2 - 20;
const loss=frame(svg,{...boxOf(width,78),height:half + 26},{...axis,title:null},{low:0,high:1.05*Math.max(...losses),title:"loss"});
const odds=frame(svg,{...boxOf(width,78),y:half + 4,height:HEIGHT - half - 4},axis,{low:0,high:1,title:"probability"});
curve(loss,losses.map((v,i)=>[T(times[i]),v]),{class:"ns-line ns-run"});
const kinds=[["own","ns-distinct","right"],["leaked","ns-common","leaked"]];
for(const[key,kind]of kinds)curve(odds,decoder.map((d,i)=>[T(times[i]),d[key]]),{class:`ns-line ${kind}`});
labels(loss,[{y:loss.Y(losses.at(-1)),say:"this run",kind:"ns-runname"}]);
labels(odds,kinds.map(([key,kind,say])=>({y:odds.Y(decoder.at(-1)[key]),say,kind})));
const moves=[loss,odds].map((plot)=>cursor(plot,T));
return{svg,update:(i)=>{
for(const move of moves)move(times[i]);
svg.setAttribute("aria-label",`Lines: at step ${times[i]} the loss is ${number(losses[i])}, the right answer has probability ${number(decoder[i].own)}, the answers of other classes ${number(decoder[i].leaked)}.`);
}};
}
export const PICTURES={attention:["Attention",attentionView],logits:["Logits",logitsView],speed:["Speed",speedView],growth:["Growth χ",growthView],decoder:["Decoder",decoderView]};
const PLAY=9;
function typeset(node,text){
const plain=text.replaceAll("_","");
if(node.textContent!==plain)node.replaceChildren(...text.split(/(_[YZ])/).map((part)=>(part[0]==="_"?h("sub",{say:part[1]}):part)));
return node;
}
function slider(label,count,oninput){
const value=h("output"),input=h("input",{type:"range",min:0,max:count - 1,step:1,"aria-label":label.replace("_",""),oninput:()=>oninput(+input.value)});
return{input,el:h("label",{class:"ns-slider"},typeset(h("span"),label),value,input),set:(index,say)=>{
input.value=index;
input.setAttribute("aria-valuetext",say);
put(value,say);
}};
}
const nearest=(values,v)=>values.reduce((best,x,i)=>(Math.abs(x - v)<Math.abs(values[best]- v)?i:best),0);
const same=(a,b)=>Object.keys(a).every((name)=>a[name]===b[name]);
function render({model,el}){
const presets=model.get("presets"),home={...model.get("settings")},lab=new Experiment(home,VIEWS.includes(model.get("view"))?model.get("view"):VIEWS[0]);
const calm=matchMedia("(prefers-reduced-motion: reduce)"),root=h("div",{class:"nta-lab nta-scan",role:"group","aria-label":"Scan and Snap explorer"});
let shown=null,raf=0,clock=0,spoken=0,width=640,r=home.shared??0.3,telling=false;
function retrain(act){
act();
if(lab.settings.shared!==null)r=lab.settings.shared;
for(const{name,values,set}of sliders){
const v=name==="shared"?r:lab.settings[name];
set(nearest(values,v),number(v,4));
}
const{K,shared}=lab.settings;
bySetting.queries.input.max=K - 1;
bySetting.shared.input.disabled=shared===null;
sharing.checked=shared!==null;
for(const{name,choice}of choices)choice.set(lab.settings[name]);
typeset(facts,`η_Y/η_Z = ${number(lab.settings.eta_y / lab.settings.eta_z)} · M = ${lab.classes.M} tokens · K ln M/η_Y = ${number(lab.marks.scan)} steps`);
for(const[b,settings]of examples)b.setAttribute("aria-pressed",same(settings,lab.settings));
if(classPick?.count!==K){
classPick=Object.assign(pick("Class",Array.from({length:K},(_,n)=>[n,n + 1]),(n)=>{lab.n=n;draw();}),{count:K});
arrange(classPlace,[classPick.el]);
}
draw();
}
function draw(){
classPick.set(lab.n);
for(const[b,view]of views)b.setAttribute("aria-pressed",view===lab.view);
log.setAttribute("aria-pressed",lab.axis==="log");
time.input.max=lab.frames.length - 1;
shown=PICTURES[lab.view][1](lab,width);
stage.replaceChildren(shown.svg);
move();
}
function move(speak=true){
time.set(lab.frame,`step ${lab.time}`);
shown.update(lab.at);
if(!speak)return;
put(words,inWords(lab));
words.classList.toggle("nl-alarm",lab.path.broken!==null);
arrange(tags,badges(lab).map(([holds,say],i)=>{
const tag=tags.children[i]??h("li");
typeset(tag,`${holds ? "✓" : "✗"} ${say}`);
tag.className=holds?"ns-holds":"ns-fails";
return tag;
}));
}
function play(on){
cancelAnimationFrame(raf);
raf=clock=0;
put(go,on?"❚❚ Pause":"▶ Play");
if(!on){move();return;}
if(lab.frame===lab.frames.length - 1)lab.frame=0;
raf=requestAnimationFrame(tick);
}
function tick(now){
clock||=now -(1000*PLAY*lab.frame)/(lab.frames.length - 1);
const last=lab.frames.length - 1,frame=Math.min(last,Math.floor(((now - clock)/ 1000 / PLAY)*last)),speak=now - spoken>1500;
if(frame!==lab.frame&&(!calm.matches||speak)){lab.frame=frame;move(speak);if(speak)spoken=now;}
if(lab.frame<last)raf=requestAnimationFrame(tick);else play(false);
}
const playing=()=>raf!==0;
function set(act){
if(playing())play(false);
retrain(act);
telling=true;
model.set("settings",{...lab.settings});
telling=false;
model.save_changes();
}
const show=(view)=>{lab.show(view);draw();telling=true;model.set("view",view);telling=false;model.save_changes();};
const fromModel=()=>{
if(telling)return;
const settings=model.get("settings"),view=model.get("view");
if(view!==lab.view)lab.show(view);
if(same(settings,lab.settings))draw();else retrain(()=>lab.load({...settings}));
};
const sliders=SLIDERS.map((s)=>({...s,...slider(s.label,s.values.length,(i)=>set(()=>lab.set(s.name,s.values[i])))})),bySetting=Object.fromEntries(sliders.map((s)=>[s.name,s]));
const choices=CHOICES.map((c)=>({...c,choice:pick(c.label,c.options,(v)=>set(()=>lab.set(c.name,v)))}));
const sharing=h("input",{type:"checkbox",onchange:()=>set(()=>lab.set("shared",sharing.checked?r:null))});
const examples=presets.map(([,name,settings])=>[button(name,()=>set(()=>{lab.load({...settings});lab.end();})),settings]);
const views=VIEWS.map((view)=>[button(PICTURES[view][0],()=>show(view)),view]);
const log=button("Log time",()=>{if(playing())play(false);lab.axis=lab.axis==="log"?"linear":"log";draw();});
const go=button("▶ Play",()=>play(!playing()),{class:"nl-go"}),time=slider("Time",2,(i)=>{if(playing())play(false);lab.frame=i;move();});
const stage=h("div",{class:"ns-stage"}),words=h("p",{class:"nl-words nta-words",role:"status","aria-live":"polite"}),tags=h("ul",{class:"ns-tags","aria-label":"What theory assumes"}),facts=h("p",{class:"nl-legend"}),classPlace=h("span");
let classPick=null;
const part=(more)=>[...sliders.filter((s)=>!s.more===!more&&s.name!=="shared").map((s)=>s.el),...choices.filter((c)=>!c.more===!more).map((c)=>c.choice.el)];
root.append(h("style",{say:CSS}),
h("div",{class:"nl-bar",role:"group","aria-label":"Examples"},...examples.map(([b])=>b),button("Reset",()=>set(()=>{lab.load({...home});lab.end();}))),
h("div",{class:"nl-bar",role:"group","aria-label":"Picture"},...views.map(([b])=>b),classPlace),
stage,h("div",{class:"nl-bar ns-time"},go,time.el,log),words,tags,
h("div",{class:"ns-controls",role:"group","aria-label":"Settings"},...part(false)),facts,
h("details",null,h("summary",{say:"More settings"}),h("div",{class:"ns-controls"},...part(true),h("label",{class:"nl-pick"},sharing,h("span",{say:"One shared token, weights 1 and r"})),bySetting.shared.el)),
h("p",{class:"nl-legend",say:"Exact training on the whole population: all classes at once, infinitely long contexts. Bars and solid lines: this run; ticks: its start; dotted lines and grey bands: theory, for plain descent."}));
root.ntaLab={lab,set,move,draw};
keepKeys(root);
el.append(root);
const sized=new ResizeObserver(([{contentRect}])=>{
const room=Math.max(260,Math.min(900,Math.floor(contentRect.width)));
if(contentRect.width>0&&room!==width){width=room;draw();}
});
retrain(()=>{});
sized.observe(stage);
model.on("change:settings change:view",fromModel);
return()=>{cancelAnimationFrame(raf);sized.disconnect();model.off("change:settings change:view",fromModel);root.remove();};
}
export default{render};
